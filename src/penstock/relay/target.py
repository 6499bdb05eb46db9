"""The upstream that the user configured: a command, or a URL with headers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

from penstock.errors import InvalidSetting, PenstockError
from penstock.relay.secret_urls import shown_url

URL_VARIABLE: Final = "PENSTOCK_URL"
HEADERS_VARIABLE: Final = "PENSTOCK_HEADERS"
BEARER_VARIABLE: Final = "PENSTOCK_BEARER"
# Headers that are computed from each message, or that belong to the connection.
_NOT_OURS_TO_SET: Final = frozenset(
    {"content-type", "content-length", "accept", "host", "mcp-session-id", "mcp-protocol-version",
     "mcp-method", "mcp-name", "connection", "transfer-encoding"}
)  # fmt: skip
# The part between `//` and the path: a user and a password, a name or an address in brackets, a port.
_HOST_AND_PORT: Final = re.compile(r"(?:[^\\]*@)?(?:\[[^]\[]+\]|[^]\[:@%\\]+)(?::[0-9]*)?")


class NoTarget(PenstockError):
    """No MCP server was given."""

    next_step = (
        "Give the server's command after --, as in: penstock run -- npx -y some-mcp-server, "
        "its address with --url or in PENSTOCK_URL, or a file of servers with --servers."
    )


class Target(msgspec.Struct, frozen=True):
    """The upstream: either a `command` or a `url`."""

    command: tuple[str, ...] = ()
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def server(self) -> str:
        """The name of the server, to which stored results are bound. It stays the same after a
        restart with the same settings, and is a digest because a command line may hold secrets."""
        named = "\0".join((*self.command, self.url, *(name for name, _ in self.headers)))
        return hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:32]

    def name(self) -> str:
        """Return the name of the server in figures. Unlike `server`, a person can read it."""
        from penstock.relay.server_names import command_name, host_name

        return host_name(self.url) if self.url else command_name(self.command)

    @property
    def shown(self) -> str:
        """The URL as a client and its agent may see it: parts beside the address may be secret."""
        return shown_url(self.url)

    @classmethod
    def of(
        cls,
        command: Sequence[str],
        url: str | None,
        *,
        headers: Sequence[str] = (),
        header_variables: Sequence[str] = (),
        bearer_variable: str | None = None,
        environment: Mapping[str, str],
    ) -> Target:
        if command and url:
            raise NoTarget("Both a command and a URL were given.", next_step="Give one of them.")
        if command:
            return cls(command=tuple(command))
        url = url or environment.get(URL_VARIABLE)
        if not url:
            raise NoTarget
        if not url.startswith(("http://", "https://")):
            raise InvalidSetting("url", shown_url(url), "must start with http:// or https://.")
        check_url("url", url)
        found = _from_environment(environment)
        found |= {
            name: _variable(value, environment) for name, value in map(_pair, header_variables)
        }
        found |= dict(map(_pair, headers))
        bearer = _bearer(bearer_variable, environment)
        if bearer:
            found["Authorization"] = f"Bearer {bearer}"
        for name, value in found.items():
            _check_header(name, value)
        return cls(url=url, headers=tuple(found.items()))


def check_url(setting: str, url: str) -> None:
    """Refuse a URL without a host and a port that can be connected to."""
    try:
        address = urlsplit(url)
        is_address = bool(
            _HOST_AND_PORT.fullmatch(address.netloc)
            and (address.hostname or "").encode("idna")
            and address.port != 0
        )
    except ValueError:  # brackets without an IP address between them, a port or a name that is none
        is_address = False
    if not is_address:
        why = "names no server. It needs a host, and may have a port: https://example.com:8443/mcp."
        raise InvalidSetting(setting, shown_url(url), why)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InvalidSetting("header", text.partition("=")[0], "must have the form NAME=VALUE.")
    return name.strip(), value


def _variable(name: str, environment: Mapping[str, str]) -> str:
    if not environment.get(name):
        raise InvalidSetting("header-env", name, "this environment variable is not set.")
    return environment[name]


def _bearer(variable: str | None, environment: Mapping[str, str]) -> str:
    if variable is None:
        return environment.get(BEARER_VARIABLE, "")
    if not environment.get(variable):
        raise InvalidSetting("bearer-env", variable, "this environment variable is not set.")
    return environment[variable]


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    text = environment.get(HEADERS_VARIABLE, "")
    if not text.strip():
        return {}
    try:
        return msgspec.json.decode(text, type=dict[str, str])
    except msgspec.DecodeError:
        # The message does not show the value, which holds secrets.
        why = 'must be a JSON object of texts, such as {"X-Api-Key": "…"}.'
        raise InvalidSetting(HEADERS_VARIABLE, "(hidden)", why) from None


def _check_header(name: str, value: str) -> None:
    if name.lower() in _NOT_OURS_TO_SET:
        raise InvalidSetting("header", name, "is set by Penstock itself.")
    if not name.isascii() or any(c in "\r\n\0" for c in name + value):
        raise InvalidSetting("header", name, "holds characters that a header cannot have.")
