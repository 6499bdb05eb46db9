"""The server info of an upstream: its name, and its purpose in a few words."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.json.surrogates import has_half_pair
from penstock.disclosure.texts.shortening import Wording, clipped, plain
from penstock.wire import eras, messages

_LONGEST_INFO: Final = 300
_LONGEST_NAME: Final = 100
_LONGEST_TITLE: Final = 60
_MOST_WORDS: Final = 12  # of a server's purpose


def name_in(info: object) -> str:
    """Return the name in upstream's server info, or "" if it has none."""
    return _text_in(info, "name")[:_LONGEST_NAME]


def about_server(info: object) -> str:
    """Return a server's title, and its purpose in a few words if it states one."""
    title = clipped(plain(_text_in(info, "title") or _text_in(info, "name")), _LONGEST_TITLE)
    wording = Wording(_text_in(info, "description"))
    purpose = wording.take(min(wording.first_words, _MOST_WORDS)).rstrip(".")
    return f"{title} ({purpose})" if title and purpose else title


def repeated_info(members: dict[str, msgspec.Raw]) -> dict[str, object] | None:
    """Return upstream's server info, short enough to be repeated in every reply, or None."""
    stamped = messages.members_of(members.get("_meta", msgspec.UNSET))
    said = messages.decoded(stamped.get(eras.SERVER_META))
    if not isinstance(said, dict):
        return None
    brief = {name: said[name] for name in ("name", "version") if name in said}
    forms = (form for form in (said, brief) if len(encode(form)) <= _LONGEST_INFO)
    return next(forms, None)


def _text_in(info: Any, key: str) -> str:
    text = info.get(key) if isinstance(info, dict) else None
    return text if isinstance(text, str) and not has_half_pair(text) else ""
