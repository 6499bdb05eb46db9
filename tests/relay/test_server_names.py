"""Servers have a name in the figures that a person knows, and that holds no secret."""

import pytest

from penstock.relay.target import Target

PRIVATE = "sk-3fA9"
COMMANDS = [
    ("npx -y @modelcontextprotocol/server-filesystem /home/ann", "@modelcontextprotocol/server-filesystem"),
    ("npx -y @playwright/mcp@latest --headless", "@playwright/mcp"),
    ("npx.cmd --yes figma-developer-mcp@0.4.2 --key sk-3fA9", "figma-developer-mcp"),
    ("/usr/bin/uvx mcp-server-git==2026.10.19 --repository .", "mcp-server-git"),
    ("uvx --from git+https://sk-3fA9@example.com/x some-mcp[all]", "some-mcp"),
    ("uv --directory /home/ann/weather run weather.py", "weather"),
    ("uv tool run mcp-server-fetch", "mcp-server-fetch"),
    ("docker run -i --rm -e TOKEN=sk-3fA9 ghcr.io/github/github-mcp-server:v1", "github-mcp-server"),
    ("docker run -i --rm -e TOKEN mcp/grafana", "grafana"),
    ("python3.12 -m my_server --key sk-3fA9", "my_server"),
    ("node /opt/plant/dist/index.js sk-3fA9", "plant"),
    ("node /x/node_modules/@acme/mcp/dist/index.js", "@acme/mcp"),
    ("/opt/bin/my-server --token sk-3fA9", "my-server"),
    ("C:\\Tools\\plant.exe --key sk-3fA9", "plant"),
    # After an option that is not known, the next word may be its value.
    ("npx --token sk-3fA9 some-mcp", "npx"),
    ("npx https://sk-3fA9@example.com/mcp.tgz", "npx"),
    ("npx -y", "npx"),
    ("python", "python"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "name"), COMMANDS)
def test_a_command_has_the_name_of_its_package(line, name):
    found = Target(command=tuple(line.split())).name()
    assert found == name
    assert PRIVATE not in found


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://mcp.example.com/sk-3fA9/mcp", "mcp.example.com"),
        ("https://ann:sk-3fA9@mcp.example.com:8443?key=sk-3fA9", "mcp.example.com:8443"),
        ("http://127.0.0.1:8000/mcp", "127.0.0.1:8000"),
    ],
)
def test_a_url_has_the_name_of_its_host(url, name):
    assert Target(url=url).name() == name
