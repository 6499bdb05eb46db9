"""The explorer's page, as it is listed and read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from penstock.explorer import MIME_TYPE, URI

_FILE: Final = Path(__file__).with_name("results.html")
# It loads nothing from anywhere. The clipboard is for hosts that have no downloads.
_META: Final = {
    "ui": {
        "csp": {"connectDomains": [], "resourceDomains": []},
        "permissions": {"clipboardWrite": {}},
        "prefersBorder": True,
    }
}


def listed() -> dict[str, Any]:
    """As it stands in a list of resources."""
    return {
        "uri": URI,
        "name": "penstock-results",
        "title": "Result explorer",
        "description": "Shows a stored result: table, search, chart, download.",
        "mimeType": MIME_TYPE,
        "_meta": _META,
    }


@cache
def html() -> str:
    return _FILE.read_text("utf-8")


def content() -> dict[str, Any]:
    """As it is read."""
    return {"uri": URI, "mimeType": MIME_TYPE, "text": html(), "_meta": _META}
