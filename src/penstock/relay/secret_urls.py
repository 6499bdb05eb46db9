"""Secrets in URLs: how to recognise them, and how to show a URL without them.

Some services put a credential into the path, as in `https://mcp.example.com/s/9f86d081884c7d65/mcp`.
A part that only looks like a secret is treated as one. It is then hidden for no reason, which does
less harm than a secret that is shown.
"""

from __future__ import annotations

import re
from typing import Final

# `--bearer-env` of Penstock names a variable, and a path is no PAT (personal access token).
SECRET_NAME: Final = re.compile(
    r"auth|key|token|secret|cookie|pass|pwd|credential|signature|jwt|bearer(?![-_]env)"
    r"|(?<![a-z])(?:pat|creds?|pin|otp)(?![a-z])",
    re.IGNORECASE,
)
HIDDEN: Final = "…"
# The host replaces a variable such as ${TOKEN}, so its name is no secret.
_VARIABLE: Final = re.compile(r"\$\{[^}]*\}")
_RANDOM: Final = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z]).{16,}|[0-9]{16,}")
# Base64 without a digit: capitals after small letters, as words in a path rarely have.
_MIXED_CASE: Final = re.compile(r"(?=.*[a-z][A-Z].*[a-z][A-Z])[A-Za-z_=-]{20,}")


def shown_url(url: str) -> str:
    """Return the scheme, host and path of a URL. A mark replaces the user, the query, and parts of
    the path that look secret."""
    scheme, slashes, rest = url.partition("://")
    address, asks, _ = rest.partition("#")[0].partition("?")
    host, *path = address.split("/")
    _, at, name = host.rpartition("@")
    user, query = (f"{HIDDEN}{at}" if at else ""), (f"{asks}{HIDDEN}" if asks else "")
    return scheme + slashes + user + "/".join([name, *map(_shown_part, path)]) + query


def holds_secret(url: str) -> bool:
    """Return whether a URL holds a user, a part of the path that looks secret, or a parameter that
    is named like a secret or looks like one."""
    address, _, query = url.partition("://")[2].partition("#")[0].partition("?")
    host, *path = address.split("/")
    parameters = [part.partition("=") for part in query.split("&")]
    return (
        "@" in host
        or any(map(_looks_secret, path))
        or any(SECRET_NAME.search(name) or _looks_secret(value) for name, _, value in parameters)
    )


def _shown_part(part: str) -> str:
    return HIDDEN if _looks_secret(part) else part


def _looks_secret(part: str) -> bool:
    bare = _VARIABLE.sub("", part)
    return bool(_RANDOM.fullmatch(bare) or _MIXED_CASE.fullmatch(bare))
