"""The formats of hosts' configs: how to recognise a config, and where its servers are."""

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
    """The format of one host's configs."""

    title: str
    # The names by which a user may call the host; the first is the usual one.
    names: tuple[str, ...] = ()
    # The last parts of the paths by which a config is recognised.
    ends: tuple[tuple[str, ...], ...] = ()
    # The host's profile in `penstock.core.budget.hosts`, if it has one.
    host: str | None = None
    dialect: Dialect = JSON
    # The keys that lead to the servers.
    ways: tuple[tuple[str, ...], ...] = (
        ("mcpServers",),
        ("servers",),
        ("mcp", "servers"),
        ("mcp.servers",),
        ("projects", _ANY_NAME, "mcpServers"),
    )
    headers_key: str = "headers"
    # A `url` without a type means the legacy SSE transport.
    url_is_sse: bool = False
    # An entry may name the variables that hold headers. Its server sees only variables it names.
    names_variables: bool = False
    # The host fills in variables such as ${HOME}.
    fills_variables: bool = True
    # The host fills in $HOME too, which Penstock does not.
    fills_bare_variables: bool = False

    @property
    def ways_for_all(self) -> tuple[tuple[str, ...], ...]:
        """The keys that lead to servers for all projects."""
        return tuple(way for way in self.ways if _ANY_NAME not in way)


_FORMATS: Final = (
    Format(
        title="Claude Desktop",
        names=("claude-desktop",),
        ends=(("claude_desktop_config.json",),),
        host="claude",
        fills_variables=False,
    ),
    Format(
        title="Claude Code",
        names=("claude-code",),
        ends=((".mcp.json",), (".claude.json",)),
        host="claude-code",
    ),
    Format(title="Cursor", names=("cursor",), ends=((".cursor", "mcp.json"),)),
    Format(
        title="VS Code",
        names=("vscode", "vs-code", "code"),
        ends=(
            (".vscode", "mcp.json"),
            (".vscode", "settings.json"),
            ("User", "mcp.json"),
            ("User", "settings.json"),
        ),
    ),
    Format(title="Windsurf", names=("windsurf",), ends=(("mcp_config.json",),)),
    Format(
        title="Copilot CLI",
        names=("copilot", "copilot-cli"),
        ends=((".copilot", "mcp-config.json"),),
        host="copilot-cli",
    ),
    Format(
        title="Qwen Code",
        names=("qwen", "qwen-code"),
        ends=((".qwen", "settings.json"),),
        host="qwen-code",
        url_is_sse=True,
        fills_bare_variables=True,
    ),
    Format(
        title="Gemini CLI",
        names=("gemini", "gemini-cli"),
        ends=((".gemini", "settings.json"),),
        url_is_sse=True,
        fills_bare_variables=True,
    ),
)
_OTHER: Final = Format(title="MCP config")
# The only host whose config is TOML.
_CODEX: Final = Format(
    title="Codex",
    names=("codex",),
    host="codex",
    dialect=TOML,
    ways=(("mcp_servers",),),
    headers_key="http_headers",
    names_variables=True,
    fills_variables=False,
)
HOSTS: Final = (*_FORMATS, _CODEX)


def format_of(path: Path) -> Format:
    if path.suffix.lower() == ".toml":
        return _CODEX
    parts = path.absolute().parts  # "mcp.json" alone does not name the host
    for known in _FORMATS:
        if any(parts[-len(end) :] == end for end in known.ends):
            return known
    return _OTHER


@dataclass(frozen=True, slots=True)
class ConfiguredServer:
    """One server of a config."""

    name: str
    project: str  # the folder that the server is for; empty if it is for all
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
