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
    # An option of the runner may take the next word.
    ("docker run -i -m 512m mcp/grafana", "grafana"),
    ("docker run -u 1000:1000 --shm-size 1g mcp/grafana", "grafana"),
    ("uvx --prerelease allow --default-index https://u:sk-3fA9@h/simple some-mcp", "some-mcp"),
    ("pnpm --filter sk-3fA9 exec some-mcp", "some-mcp"),
    ("node --max-old-space-size=4096 --no-warnings /opt/plant/dist/index.js", "plant"),
    ("java -Dkey=sk-3fA9 -jar /opt/plant.jar", "plant"),
    # A command may run another.
    ("cmd /c npx -y some-mcp", "some-mcp"),
    ("C:\\Windows\\System32\\cmd.exe /d /s /c npx -y some-mcp", "some-mcp"),
    ("env KEY=sk-3fA9 B= npx -y some-mcp", "some-mcp"),
    ("/usr/bin/env node /opt/plant/index.js", "plant"),
    ("env -u HOME some-mcp", "env"),
    ("env KEY=sk-3fA9", "env"),
    ("cmd", "cmd"),
    ("bash /opt/plant/run.sh sk-3fA9", "plant"),
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
    ("line", "name"),
    [
        ("npx -y some-mcp", "some-mcp"),
        ("KEY=sk-3fA9 npx -y some-mcp --key sk-3fA9", "some-mcp"),
        ("cd /opt && npx -y some-mcp", "sh"),
        ("KEY='sk-3fA9 x' npx some-mcp", "sh"),
        ("", "sh"),
    ],
)
def test_a_shell_has_the_name_of_the_command_that_it_runs(line, name):
    assert Target(command=("sh", "-c", line)).name() == name


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
