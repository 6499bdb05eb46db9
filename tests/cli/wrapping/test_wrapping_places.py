"""The configs that are found on a machine."""

from pathlib import Path

import pytest

from penstock.cli.wrapping import known_configs

USER = {
    "linux": [
        ("Claude Desktop", ".config/Claude/claude_desktop_config.json"),
        ("VS Code", ".config/Code/User/mcp.json"),
    ],
    "darwin": [
        ("Claude Desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("VS Code", "Library/Application Support/Code - Insiders/User/mcp.json"),
    ],
    "win32": [
        ("Claude Desktop", "AppData/Roaming/Claude/claude_desktop_config.json"),
        (
            "Claude Desktop",
            "AppData/Local/Packages/Claude_x/LocalCache/Roaming/Claude/claude_desktop_config.json",
        ),
        ("VS Code", "AppData/Roaming/Code/User/mcp.json"),
    ],
}
EVERYWHERE = [
    ("Claude Code", ".claude.json"),
    ("Cursor", ".cursor/mcp.json"),
    ("Windsurf", ".codeium/windsurf/mcp_config.json"),
    ("Codex", ".codex/config.toml"),
    ("Copilot CLI", ".copilot/mcp-config.json"),
    ("Qwen Code", ".qwen/settings.json"),
    ("Gemini CLI", ".gemini/settings.json"),
]
PROJECT = [
    ("Claude Code", ".mcp.json"),
    ("Cursor", ".cursor/mcp.json"),
    ("VS Code", ".vscode/mcp.json"),
    ("Codex", ".codex/config.toml"),
]


def touch(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


@pytest.mark.parametrize("platform", USER)
def test_all_of_them_are_found(tmp_path, platform):
    home, folder = tmp_path / "home", tmp_path / "shop"
    expected = {(title, home / name) for title, name in USER[platform] + EVERYWHERE}
    expected |= {(title, folder / name) for title, name in PROJECT}
    for _, path in expected:
        touch(path)
    found = known_configs(home=home, folder=folder, environment={}, platform=platform)
    assert {(known.title, known.path) for known in found} == expected


def test_folders_that_the_environment_names(tmp_path):
    environment = {
        "XDG_CONFIG_HOME": str(tmp_path / "xdg"),
        "CODEX_HOME": str(tmp_path / "codex"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
    }
    paths = [
        tmp_path / "xdg" / "Claude" / "claude_desktop_config.json",
        tmp_path / "claude" / ".claude.json",
        tmp_path / "codex" / "config.toml",
    ]
    for path in paths:
        touch(path)
    home = tmp_path / "home"
    found = known_configs(home=home, folder=home, environment=environment, platform="linux")
    assert [known.path for known in found] == paths


def test_a_file_is_listed_once_and_a_folder_not_at_all(tmp_path):
    touch(tmp_path / ".cursor" / "mcp.json")
    (tmp_path / ".mcp.json").mkdir()
    found = known_configs(home=tmp_path, folder=tmp_path, environment={}, platform="linux")
    assert [known.path for known in found] == [tmp_path / ".cursor" / "mcp.json"]


def test_on_this_machine():
    assert all(isinstance(known.path, Path) for known in known_configs())
