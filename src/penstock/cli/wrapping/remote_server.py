"""Wrapping a server that the host reaches by URL, and the undoing of that.

The host then starts Penstock as a local server, and Penstock reaches the URL. The URL goes onto the
command line. Headers go into the environment as JSON, because any user of the machine may read
command lines. So does a URL that seems to hold a secret. A further variable keeps what undoing could not guess: a type other than `http`, a
key other than `url`. So a wrapped entry has only keys that its host knows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from penstock.cli.wrapping.entries import (
    BEARER_KEY,
    VARIABLE_HEADERS_KEY,
    Left,
    Local,
    Remote,
    Strings,
    strings,
    transports,
)
from penstock.cli.wrapping.formats import Format
from penstock.cli.wrapping.invocation import (
    BEARER_VARIABLE,
    HEADER_VARIABLE,
    URL,
    Invocation,
    Launcher,
)
from penstock.cli.wrapping.literals import JSON, array
from penstock.cli.wrapping.text_edits import (
    ConfigText,
    Splice,
    cut,
    refill,
    replace,
    replace_member,
)
from penstock.cli.wrapping.tree import plain
from penstock.relay.secret_urls import holds_secret
from penstock.relay.target import HEADERS_VARIABLE, URL_VARIABLE

SHAPE_VARIABLE: Final = "PENSTOCK_WRAPPED"
_OURS: Final = frozenset({URL_VARIABLE, HEADERS_VARIABLE, SHAPE_VARIABLE})

_USUAL_TYPE = "http"
_USUAL_URL_KEY = "url"


def wrap(source: ConfigText, entry: Remote, launcher: Launcher, host: str | None) -> list[Splice]:
    """Turn the entry into that of a local server, which is Penstock."""
    string = source.dialect.string
    url = source.raw(entry.url.value)
    is_secret = holds_secret(entry.address)
    address = [] if is_secret else [string(URL), url]
    args = [*map(string, launcher.arguments(host)), *address]
    args += map(string, _variable_options(entry))
    members = [("command", string(launcher.command)), ("args", array(args))]
    edits = [replace(member.value, string("stdio")) for member in transports(entry.table)]
    if entry.variables:
        # The host passes on only the variables that are listed here.
        members.append(("env_vars", array(map(string, entry.variables))))
        edits += cut(source, entry.table, (BEARER_KEY, VARIABLE_HEADERS_KEY))
    environment = [(URL_VARIABLE, url)] if is_secret else []
    environment += [(name, string(text)) for name, text in _environment(entry).items()]
    if entry.headers:
        edits += refill(source, entry.headers.member, entry.headers.table, "env", environment)
    elif environment:
        members.append(("env", source.dialect.table(environment)))
    return [*edits, replace_member(source, entry.table, entry.url, members)]


def reaches_url(wrapped: Mapping[str, Any]) -> bool:
    """Return whether Penstock reaches the server of a wrapped entry by URL."""
    return URL in wrapped.get("args", ()) or URL_VARIABLE in (wrapped.get("env") or ())


def _variable_options(entry: Remote) -> list[str]:
    bearer = [BEARER_VARIABLE, entry.bearer_variable] if entry.bearer_variable else []
    named = entry.variable_headers.values.items() if entry.variable_headers else ()
    options = ((HEADER_VARIABLE, f"{header}={variable}") for header, variable in named)
    return [*bearer, *chain.from_iterable(options)]


def _environment(entry: Remote) -> dict[str, str]:
    """Return the variables that keep the headers and the shape of the entry."""
    types = {member.name: str(plain(member.value)) for member in transports(entry.table)}
    shape = {name: told for name, told in types.items() if told != _USUAL_TYPE}
    if entry.url.name != _USUAL_URL_KEY:
        shape[_USUAL_URL_KEY] = entry.url.name
    headers = {HEADERS_VARIABLE: _as_json(entry.headers.values)} if entry.headers else {}
    return headers | ({SHAPE_VARIABLE: _as_json(shape)} if shape else {})


def unwrap(
    source: ConfigText, entry: Local, invocation: Invocation, fmt: Format
) -> list[Splice] | Left:
    """Turn the entry into that of a remote server again."""
    kept = _kept(entry)
    if isinstance(kept, Left):
        return kept
    url = _url(source, entry, invocation, kept)
    if url is None:
        return Left("it runs Penstock in a form that wrap does not write")
    string = source.dialect.string
    url_key = kept.shape.get(_USUAL_URL_KEY, _USUAL_URL_KEY)
    variables = _variable_members(source, invocation)
    members = [(url_key, url), *variables]
    gone = ["args", "env_vars"] if variables else ["args"]
    edits = [
        replace(member.value, string(kept.shape.get(member.name, _USUAL_TYPE)))
        for member in transports(entry.table)
    ]
    headers = [(name, string(value)) for name, value in (kept.headers or {}).items()]
    if kept.environment and kept.is_only_ours and kept.headers is not None:
        edits += refill(source, *kept.environment[:2], fmt.headers_key, headers)
    elif kept.environment and kept.is_only_ours:
        gone.append("env")
    elif kept.environment:
        edits += cut(source, kept.environment.table, _OURS)
        if kept.headers is not None:
            members.append((fmt.headers_key, source.dialect.table(headers)))
    edits += cut(source, entry.table, gone)
    return [*edits, replace_member(source, entry.table, entry.command, members)]


class _Kept(NamedTuple):
    """The facts for undoing that the environment of a wrapped entry holds."""

    environment: Strings | None
    headers: dict[str, str] | None
    shape: dict[str, str]

    @property
    def is_only_ours(self) -> bool:
        """Whether the environment holds only variables that Penstock wrote."""
        held = self.environment.values.keys() if self.environment else set()
        return bool(held) and held <= _OURS


def _kept(entry: Local) -> _Kept | Left:
    environment = strings(entry.table, "env")
    if isinstance(environment, Left):
        return environment
    held = environment.values if environment else {}
    try:
        headers = _from_json(held[HEADERS_VARIABLE]) if HEADERS_VARIABLE in held else None
        shape = _from_json(held.get(SHAPE_VARIABLE, "{}"))
    except ValueError:
        return Left(f"its {HEADERS_VARIABLE} or {SHAPE_VARIABLE} is not a JSON object of strings")
    return _Kept(environment, headers, shape)


def _variable_members(source: ConfigText, invocation: Invocation) -> list[tuple[str, str]]:
    string = source.dialect.string
    bearer = [(BEARER_KEY, string(name)) for name in invocation.values(BEARER_VARIABLE)[-1:]]
    pairs = [told.partition("=") for told in invocation.values(HEADER_VARIABLE)]
    if not pairs:
        return bearer
    named = source.dialect.table((header, string(name)) for header, _, name in pairs)
    return [*bearer, (VARIABLE_HEADERS_KEY, named)]


def _url(source: ConfigText, entry: Local, invocation: Invocation, kept: _Kept) -> str | None:
    """Return the URL as it is spelled in the file: in the arguments or in the environment."""
    given = invocation.values(URL)
    if given:
        found = (source.raw(element) for element in entry.elements if element.value == given[-1])
        return next(found, source.dialect.string(given[-1]))
    member = kept.environment.table.get(URL_VARIABLE) if kept.environment else None
    return source.raw(member.value) if member else None


def _as_json(values: Mapping[str, str]) -> str:
    return JSON.table((name, JSON.string(value)) for name, value in values.items())


def _from_json(text: str) -> dict[str, str]:
    found = json.loads(text)
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise ValueError(text)
    return found
