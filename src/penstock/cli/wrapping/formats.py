"""Which host a config belongs to, and where its servers stand in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock.cli.wrapping.literals import JSON, TOML, Dialect
from penstock.cli.wrapping.tree import Node, TreeTable

_ANY_NAME = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What is known of the configs of one host.

    `ends` are the last parts of the paths it is known by; `host` its profile in `penstock.core.budget.hosts`,
    if it has one; `ways` lead to its servers. `url_is_sse` says that a bare `url` means the old
    transport, `names_variables` that headers may be named after environment variables, and that
    a server sees no other variables than those its entry names.
    """

    title: str
    ends: tuple[tuple[str, ...], ...] = ()
    host: str | None = None
    dialect: Dialect = JSON
    ways: tuple[tuple[str, ...], ...] = (
        ("mcpServers",),
        ("servers",),
        ("mcp", "servers"),
        ("mcp.servers",),
        ("projects", _ANY_NAME, "mcpServers"),
    )
    headers_key: str = "headers"
    url_is_sse: bool = False
    names_variables: bool = False


_FORMATS: Final = (
    Format(title="Claude Desktop", ends=(("claude_desktop_config.json",),), host="claude"),
    Format(title="Claude Code", ends=((".mcp.json",), (".claude.json",)), host="claude-code"),
    Format(title="Cursor", ends=((".cursor", "mcp.json"),)),
    Format(
        title="VS Code",
        ends=(
            (".vscode", "mcp.json"),
            (".vscode", "settings.json"),
            ("User", "mcp.json"),
            ("User", "settings.json"),
        ),
    ),
    Format(title="Windsurf", ends=(("mcp_config.json",),)),
    Format(title="Copilot CLI", ends=((".copilot", "mcp-config.json"),), host="copilot-cli"),
    Format(
        title="Qwen Code", ends=((".qwen", "settings.json"),), host="qwen-code", url_is_sse=True
    ),
    Format(title="Gemini CLI", ends=((".gemini", "settings.json"),), url_is_sse=True),
)
_OTHER: Final = Format(title="MCP config")
# The one host that keeps its servers in TOML.
_CODEX: Final = Format(
    title="Codex",
    host="codex",
    dialect=TOML,
    ways=(("mcp_servers",),),
    headers_key="http_headers",
    names_variables=True,
)


def format_of(path: Path) -> Format:
    if path.suffix.lower() == ".toml":
        return _CODEX
    parts = path.absolute().parts  # "mcp.json" tells nothing without its folder
    for known in _FORMATS:
        if any(parts[-len(end) :] == end for end in known.ends):
            return known
    return _OTHER


@dataclass(frozen=True, slots=True)
class ConfiguredServer:
    """One server of a config. `project` is the folder it is for, where it is for one only."""

    name: str
    project: str
    entry: Node


def servers(root: TreeTable, ways: Sequence[Sequence[str]]) -> list[ConfiguredServer]:
    return [server for way in ways for server in _at(root, way)]


def _at(table: TreeTable, way: Sequence[str], project: str = "") -> Iterator[ConfiguredServer]:
    if not way:
        yield from (
            ConfiguredServer(member.name, project, member.value) for member in table.members
        )
        return
    step, *rest = way
    for member in table.members:
        if step in (member.name, _ANY_NAME) and isinstance(member.value, TreeTable):
            yield from _at(member.value, rest, member.name if step == _ANY_NAME else project)
