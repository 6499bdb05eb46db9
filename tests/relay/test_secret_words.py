"""Secrets in command lines and messages: which are recognised, and what is shown."""

import pytest

from penstock.relay.secret_words import secrets_of, shown_words, without_secrets
from penstock.relay.target import Target

LOOKS = [
    "ghp_abcdefghij0123456789KLMN",
    "gho_abcdefghij",
    "github_pat_11ABCDEFG0",
    "glpat-abcdefghijk",
    "xoxb-1234-abcdefgh",
    "sk-ant-abcdefghijkl",
    "sk-abc123def456ghi7",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.c2ln",
    "9f86d081884c7d65",
    "zKqTbWmXpLrNvYcD",
    "1234567890123456",
    "0b5c2b6e-6f0c-4a7e-9d55-0d5f6a1c2b3d",
]
PLAIN = [
    "@modelcontextprotocol/server-filesystem@2025.1.14",
    "mcp-server-elasticsearch8",
    "mcp-server-git==2025.12.18",
    "pypi-query-mcp-server",
    "sk-learn-mcp-server",
    "com.example.MyGreatServerApplication",
    "--allowDangerousFilesystemAccess",
    "/home/ann/9f86d081884c7d65/aBcDeFgHiJkLmNoPq",
    r"C:\\Users\\9f86d081884c7d65",
    "--path=/srv",
    "${GITHUB_TOKEN}",
]


@pytest.mark.parametrize("word", LOOKS)
def test_the_look_of_a_secret_is_enough(word):
    assert shown_words(["npx", word]) == ["npx", "…"]
    assert shown_words([f"--x={word}"]) == ["--x=…"]
    assert without_secrets(f"The server printed '{word}'.") == "The server printed '…'."


@pytest.mark.parametrize("word", PLAIN)
def test_packages_paths_and_options_are_shown(word):
    assert shown_words(["npx", word, "x"]) == ["npx", word, "x"]


@pytest.mark.parametrize(
    "name", ["pass", "db-pass", "pwd", "pat", "github_pat", "apikey", "auth", "credentials", "jwt"]
)
def test_a_name_of_a_secret_hides_its_value(name):
    assert shown_words([f"--{name}", "hunter"]) == [f"--{name}", "…"]
    assert shown_words([f"--{name}=hunter", "x"]) == [f"--{name}=…", "x"]
    assert shown_words([f'{{"{name}": "hunter"}}']) == [f'{{"{name}": "…']


@pytest.mark.parametrize("name", ["path", "patch", "pattern", "pinned", "bearer-env"])
def test_other_names_hide_nothing(name):
    assert shown_words([f"--{name}", "hunter"]) == [f"--{name}", "hunter"]


def test_an_error_does_not_repeat_the_secrets_of_its_server():
    command = Target(command=("npx", "x", "--pass", "hunter2hunter2", "KEY=hunter3", "--pin", "12"))
    told = without_secrets("No hunter2hunter2, no hunter3, but 12.", secrets_of(command))
    assert told == "No …, no …, but 12."
    url = Target(url="https://a.example/?key=hunter2", headers=(("X-Key", "hunter3"),))
    assert without_secrets(f"{url.url} hunter3", secrets_of(url)) == "… …"
    assert not secrets_of(Target(url="https://a.example/mcp"))
