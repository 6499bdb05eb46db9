"""The explorer's page as an MCP resource."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from penstock.explorer import MIME_TYPE, URI

_FILE: Final = Path(__file__).with_name("results.html")
# The page loads nothing from the network. It needs the clipboard on hosts that have no downloads.
_META: Final = {
    "ui": {
        "csp": {"connectDomains": [], "resourceDomains": []},
        "permissions": {"clipboardWrite": {}},
        "prefersBorder": True,
    }
}


def listed() -> dict[str, Any]:
    """Return the page as an item of `resources/list`."""
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
    """Return the page as the content for `resources/read`."""
    return {"uri": URI, "mimeType": MIME_TYPE, "text": html(), "_meta": _META}
