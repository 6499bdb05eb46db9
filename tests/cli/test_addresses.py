"""A URL that is no address: each command that takes one says so, and shows no secret of it."""

import subprocess
import sys

import pytest
from environments import clean_environment
from relay_processes import PATIENCE

from penstock.errors import InvalidSetting
from penstock.relay.http.client import HttpClient
from penstock.relay.target import Target

NONE = [
    "http://",
    "http:///mcp",
    "http://:80/mcp",
    "http://me:pw@/mcp",
    "http://[x",
    "http://[zz]/mcp",
    "http://[::1]x/mcp",
    "http://x:99999/mcp",
    "http://x:0/mcp",
    "http://x:abc/mcp",
    "http://x\\mcp",
    "http://a%20b/mcp",
    f"http://{'a' * 64}.example/mcp",
]
SOME = [
    "http://localhost",
    "http://me:p%40w@x_y.example:8443/mcp?key=a\\b",
    "https://[::1]:80/mcp",
    "http://bücher.example./mcp",
]


@pytest.mark.parametrize("url", NONE)
def test_no_address(url):
    with pytest.raises(InvalidSetting, match="names no server"):
        Target.of((), url, environment={})


@pytest.mark.parametrize("url", SOME)
def test_an_address_that_the_client_can_use_too(url):
    HttpClient(Target.of((), url, environment={}))


def test_a_proxy_that_is_no_address(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://me:SECRET@[x")
    with pytest.raises(InvalidSetting, match=r"^proxy = .*names no server") as caught:
        HttpClient(Target(url="http://mcp.example/mcp"))
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("command", ["run", "serve", "audit", "extract folder"])
def test_every_command_refuses_it(command, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "penstock", *command.split(), "--url", "http://me:SECRET@[x/mcp"],
        capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=tmp_path, input="",
        env=clean_environment(),
    )  # fmt: skip
    assert done.returncode == 2
    assert "url = 'http://…@[x/mcp': names no server" in done.stderr
    assert "SECRET" not in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
