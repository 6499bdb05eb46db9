"""Entries of servers in a config: a local server, a remote one, or one that is not understood."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, NamedTuple

from penstock.cli.wrapping.formats import Format
from penstock.cli.wrapping.tree import Items, Layout, Node, Scalar, TreeMember, TreeTable

TRANSPORT_KEYS: Final = ("type", "transport")
URL_KEYS: Final = ("url", "serverUrl", "httpUrl")
BEARER_KEY: Final = "bearer_token_env_var"
VARIABLE_HEADERS_KEY: Final = "env_http_headers"

_LOCAL_TYPES = frozenset({"stdio", "local"})
_HTTP_TYPES = frozenset({"http", "streamable-http", "streamablehttp"})
_LOCAL_KEYS = frozenset({"args", "env", "env_vars", "envFile", "cwd"})

LEGACY_SSE: Final = "it speaks the legacy SSE transport, which Penstock does not speak"


@dataclass(frozen=True, slots=True)
class Left:
    """The reason why a server stays as it is."""

    reason: str


class Strings(NamedTuple):
    """A member whose value is a table of strings."""

    member: TreeMember
    table: TreeTable
    values: dict[str, str]


@dataclass(frozen=True, slots=True)
class Local:
    """A server that the host starts."""

    table: TreeTable
    command: TreeMember
    program: str
    args: TreeMember | None
    elements: tuple[Scalar, ...]

    @property
    def arguments(self) -> list[str]:
        return [element.value for element in self.elements]


@dataclass(frozen=True, slots=True)
class Remote:
    """A server that the host reaches by URL."""

    table: TreeTable
    url: TreeMember
    address: str
    headers: Strings | None = None
    variable_headers: Strings | None = None
    bearer_variable: str | None = None

    @property
    def variables(self) -> list[str]:
        """The environment variables that hold values of headers."""
        bearer = [self.bearer_variable] if self.bearer_variable else []
        named = self.variable_headers.values if self.variable_headers else {}
        return [*bearer, *named.values()]


def understand(entry: Node, fmt: Format) -> Local | Remote | Left:
    if not isinstance(entry, TreeTable):
        return Left("its entry is not a table of settings")
    repeated = [name for name, count in Counter(m.name for m in entry.members).items() if count > 1]
    if repeated:
        return Left(f"its entry has `{repeated[0]}` twice")
    command = entry.get("command")
    urls = [member for member in map(entry.get, URL_KEYS) if member]
    if command and urls:
        return Left("it has both a command and a URL")
    if command:
        return _local(entry, command)
    if urls:
        return _remote(entry, urls[0], fmt)
    return Left("it has neither a command nor a URL")


def transports(entry: TreeTable) -> list[TreeMember]:
    return [member for member in map(entry.get, TRANSPORT_KEYS) if member]


def strings(entry: TreeTable, name: str) -> Strings | Left | None:
    """Return the table of strings under a name, if there is one."""
    member = entry.get(name)
    if member is None:
        return None
    table = member.value
    if not isinstance(table, TreeTable) or table.layout is Layout.DOTTED:
        return Left(f"its `{name}` is not written as one table")
    values = {one.name: _string(one.value) for one in table.members}
    known = {key: value for key, value in values.items() if value is not None}
    if known != values:
        return Left(f"its `{name}` holds something other than strings")
    return Strings(member, table, known)


def _local(entry: TreeTable, command: TreeMember) -> Local | Left:
    program = _string(command.value)
    if not program:
        return Left("its `command` is not a name or a path")
    first_word = program.split()[0] if program.strip() else ""
    if first_word != program and not set(first_word) & set("/\\"):
        return Left("its `command` is a whole command line; write the arguments into `args`")
    if not _types(entry) <= _LOCAL_TYPES:
        return Left("it has a command, but its type is not stdio")
    args = entry.get("args")
    if args is None:
        return Local(entry, command, program, None, ())
    elements = args.value.elements if isinstance(args.value, Items) else (args.value,)
    texts = tuple(e for e in elements if isinstance(e, Scalar) and isinstance(e.value, str))
    if not isinstance(args.value, Items) or len(texts) < len(elements):
        return Left("its `args` are not a list of strings")
    return Local(entry, command, program, args, texts)


def _remote(entry: TreeTable, url: TreeMember, fmt: Format) -> Remote | Left:
    address = _string(url.value)
    if not address:
        return Left(f"its `{url.name}` is not a string")
    mixed = sorted(_LOCAL_KEYS & {member.name for member in entry.members})
    if mixed:
        return Left(f"it has a URL, but also `{mixed[0]}`, which only a local server has")
    types = _types(entry)
    if "sse" in types or (fmt.url_is_sse and url.name == "url" and not types):
        return Left(LEGACY_SSE)
    if not types <= _HTTP_TYPES:
        return Left("it has a URL, but its type is not http")
    headers = strings(entry, fmt.headers_key)
    named = strings(entry, VARIABLE_HEADERS_KEY) if fmt.names_variables else None
    if isinstance(headers, Left):
        return headers
    if isinstance(named, Left):
        return named
    if named and not named.values:
        return Left(f"its `{VARIABLE_HEADERS_KEY}` is empty")
    bearer = entry.get(BEARER_KEY) if fmt.names_variables else None
    variable = _string(bearer.value) if bearer else None
    if bearer and not variable:
        return Left(f"its `{BEARER_KEY}` is not a string")
    return Remote(entry, url, address, headers, named, variable)


def _types(entry: TreeTable) -> set[str]:
    told = (_string(member.value) or "?" for member in transports(entry))
    return {name.lower().replace("_", "-") for name in told}


def _string(node: Node) -> str | None:
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return node.value
    return None
