"""A realistic config of every host."""

CLAUDE_DESKTOP = """\
{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-filesystem",
        "/Users/zoë/\\u0044ocuments"
      ],
      "env": {"NOTE": "\\"mcpServers\\": {\\"x\\": {\\"command\\": \\"y\\"}}"}
    },
    "memory": {
      "command": "C:\\\\Program Files\\\\nodejs\\\\node.exe",
      "args": [],
      "disabled": true,
      "autoApprove": ["read"]
    },
    "time": { "command": "uvx" }
  }
}
"""

CLAUDE_CODE = """\
{
  "numStartups": 12345678901234567890,
  "mcpServers": {
    "hosted": {
      "type": "http",
      "url": "https://mcp.example.com/mcp",
      "headers": {
        "Authorization": "Bearer ${TOKEN:-none}",
        "X-Region": "eu"
      }
    },
    "old": {"type": "sse", "url": "https://old.example.com/events", "headers": {"X-Key": "k"}}
  },
  "projects": {
    "/home/ann/shop": {
      "allowedTools": [],
      "mcpServers": {
        "db": {"type": "stdio", "command": "uvx", "args": ["mcp-db"], "env": {}}
      }
    },
    "/home/ann/empty": {"mcpServers": {}}
  }
}
"""

CURSOR = """\
{
\t"mcpServers": {
\t\t"docs": {
\t\t\t"url": "https://docs.example.com/mcp",
\t\t\t"headers": { "X-API-Key": "${env:DOCS_KEY}" }
\t\t},
\t\t"figma": { "url": "http://127.0.0.1:3845/mcp" },
\t\t"login": { "url": "https://login.example.com/mcp", "auth": { "CLIENT_ID": "c" } }
\t}
}
"""

VS_CODE = """\
\ufeff// The team's servers. "servers": { "not": "these" }
{
\t"inputs": [{ "type": "promptString", "id": "tok", "password": true, }],
\t"servers": {
\t\t/* local { */
\t\t"fs": {
\t\t\t"type": "stdio", // as always
\t\t\t"command": "npx",
\t\t\t"args": [
\t\t\t\t// say yes
\t\t\t\t"-y",
\t\t\t\t"@example/fs", // "command"
\t\t\t\t"${workspaceFolder}",
\t\t\t],
\t\t\t"envFile": "${workspaceFolder}/.env",
\t\t},
\t\t"github": {
\t\t\t"type": "http",
\t\t\t"url": "https://api.githubcopilot.com/mcp/",
\t\t\t"headers": {
\t\t\t\t// asked for once
\t\t\t\t"Authorization": "Bearer ${input:tok}", // secret
\t\t\t},
\t\t},
\t\t"chosen": {
\t\t\t"type": "http", "url": "https://api.githubcopilot.com/mcp/",
\t\t\t"headers": {"X-MCP-Toolsets": "repos"}
\t\t},
\t},
}
""".replace("\n", "\r\n")

VS_CODE_SETTINGS = """\
{
    "editor.fontSize": 14,
    "mcp": { "servers": { "fs": { "command": "npx", "args": ["fs"] } } },
}
"""

WINDSURF = """\
{
  "mcpServers": {
    "github": {
      "serverUrl": "https://api.githubcopilot.com/mcp/",
      "headers": {
        "Authorization": "Bearer abc"
      },
      "disabledTools": ["x"]
    },
    "zapier": {"serverUrl": "https://actions.example.com/mcp/sse"},
    "dev": {"serverUrl": "http://[::1]:8000/mcp"}
  }
}"""

CODEX = """\
# Codex
model = "gpt-5" # the "mcp_servers" below

[mcp_servers.docs] # local
command = 'npx'   # in single quotes
args = [ # a list
  "-y",   # yes
  'C:\\docs',
]
startup_timeout_sec = 20

[mcp_servers.docs.env]
KEY = \"\"\"
[mcp_servers.fake]
command = "no"
\"\"\"

[profiles.fast]
model = "o4"

  [mcp_servers."with space"]
  command = "uvx"
  enabled = false

[mcp_servers.hosted]
url = 'https://mcp.example.com/mcp'
bearer_token_env_var = "HOSTED_TOKEN" # from the shell

[mcp_servers.hosted.http_headers]
# which part of the world
X-Region = "eu"

[mcp_servers.named]
url = "https://named.example.com/mcp"
env_http_headers = { X-Api-Key = "NAMED_KEY", X-Team = "TEAM" }
tool_timeout_sec = 5

[mcp_servers]
inline = { command = "node", args = ["x.js"] }
dotted.command = "node"
"""

CONFIGS = [
    ("Claude Desktop", "claude_desktop_config.json", CLAUDE_DESKTOP),
    ("Claude Code", ".claude.json", CLAUDE_CODE),
    ("Claude Code", ".mcp.json", CLAUDE_DESKTOP),
    ("Cursor", ".cursor/mcp.json", CURSOR),
    ("VS Code", ".vscode/mcp.json", VS_CODE),
    ("VS Code", "User/settings.json", VS_CODE_SETTINGS),
    ("Windsurf", "mcp_config.json", WINDSURF),
    ("Codex", "config.toml", CODEX),
    ("MCP config", "anything.json", CURSOR),
]
