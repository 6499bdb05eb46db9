"""Remote servers that stay as they are, because Penstock would break them."""

from __future__ import annotations

from itertools import pairwise
from typing import Final
from urllib.parse import SplitResult, urlsplit

from penstock.cli.wrapping.entries import LEGACY_SSE, Left, Remote
from penstock.cli.wrapping.text_edits import ConfigText
from penstock.relay.secret_urls import SECRET_NAME, holds_secret

_OAUTH_KEYS: Final = frozenset({"oauth", "auth", "oauth_resource", "scopes", "authProviderType"})
_HELPER_KEY: Final = "headersHelper"
# In practice, servers on the user's own machine have no OAuth.
_OWN_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def why_left(source: ConfigText, entry: Remote, *, remote: bool) -> Left | None:
    """Return why a server stays as it is, if it does.

    With `remote`, the user says that servers without credentials in the config need none.
    """
    return why_not_reached(entry, remote=remote) or _commented(source, entry)


def why_not_reached(entry: Remote, *, remote: bool) -> Left | None:
    """Return why Penstock should not reach a server in the host's place, if so."""
    return why_unreachable(entry) or _may_log_in(entry, urlsplit(entry.address), remote=remote)


def why_unreachable(entry: Remote) -> Left | None:
    """Return why only the host can reach a server, if so."""
    keys = {member.name for member in entry.table.members}
    if keys & _OAUTH_KEYS:
        return Left("it logs in by OAuth in the host, which a proxy would break")
    if _HELPER_KEY in keys:
        return Left(f"its headers come from a program of the host (`{_HELPER_KEY}`)")
    try:
        address = urlsplit(entry.address)
    except ValueError:
        return Left("its URL cannot be read")
    # The host replaces a variable such as ${BASE}.
    if address.scheme not in {"http", "https"} and not entry.address.startswith("${"):
        return Left("its URL is not http or https")
    if address.path.rstrip("/").endswith("/sse"):
        return Left(LEGACY_SSE)
    return None


def _commented(source: ConfigText, entry: Remote) -> Left | None:
    """Leave a server with comments between its headers: one variable replaces the headers."""
    for headers in filter(None, (entry.headers, entry.variable_headers)):
        gaps = [(one.end, two.start) for one, two in pairwise(headers.table.members)]
        if headers is entry.variable_headers:
            gaps.append((headers.table.inside, headers.table.members[0].start))
        if not all(source.is_clear(*gap) for gap in gaps):
            name = headers.member.name
            return Left(f"a comment inside its `{name}` would be lost; move it above them")
    return None


def _may_log_in(entry: Remote, address: SplitResult, *, remote: bool) -> Left | None:
    """Leave a server that may log in by OAuth: neither its URL nor a header looks like a
    credential, and no header comes from a variable."""
    headers = entry.headers.values if entry.headers else ()
    has_secret = holds_secret(entry.address) or any(map(SECRET_NAME.search, headers))
    logs_in = entry.variables or has_secret
    if logs_in or remote or address.hostname in _OWN_MACHINE:
        return None
    return Left(
        "its config has no credentials, so it may log in by OAuth in the host, which a proxy "
        "would break; if it does not, use --remote"
    )
