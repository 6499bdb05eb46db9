"""The audience of a list: what a client says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.disclosure.discloser import Audience
from penstock.explorer import MIME_TYPE
from penstock.wire import messages

APPS: Final = "io.modelcontextprotocol/ui"
_LONGEST_NAME: Final = 200


def audience_from(info: msgspec.Raw | None, capabilities: msgspec.Raw | None) -> Audience:
    name = messages.text_of(messages.members_of(info or msgspec.UNSET), "name") or ""
    able = messages.members_of(capabilities or msgspec.UNSET)
    extensions = messages.members_of(able.get("extensions", msgspec.UNSET))
    said = messages.decoded(extensions.get(APPS))
    return Audience(name[:_LONGEST_NAME], has_apps=shows_apps(said))


def shows_apps(said: Any) -> bool:
    """Return whether a client shows HTML pages, by what it said of the extension `APPS`. A client
    that names no MIME types does."""
    if not isinstance(said, Mapping):
        return False
    kinds = said.get("mimeTypes")
    return kinds is None or (isinstance(kinds, list | tuple) and MIME_TYPE in kinds)
