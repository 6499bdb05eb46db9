"""The address of the resource with full descriptions."""

from __future__ import annotations

from typing import Final

URI: Final = "resource:///tool_descriptions"
_PATH: Final = "tool_descriptions"
TEMPLATE: Final = URI + "{?tools}"


def uri_for(*names: str) -> str:
    from urllib.parse import quote

    return f"{URI}?tools={','.join(quote(name, '', errors='surrogatepass') for name in names)}"


def is_descriptions(uri: str) -> bool:
    """Return whether a URI means the descriptions. One that is slightly wrong counts too: the
    answer then shows the right form."""
    scheme, _, rest = uri.partition(":")
    path = rest.lstrip("/")
    after = path.removeprefix(_PATH)
    return scheme == "resource" and path.startswith(_PATH) and after[:1] in ("", "/", "?", "#", "{")


def named_in(uri: str) -> list[str]:
    """Return the tools that a URI names."""
    return [_unquoted(name) for value in _values(uri, "tools") for name in value.split(",")]


def _unquoted(name: str) -> str:
    from urllib.parse import unquote_plus

    try:
        return unquote_plus(name, errors="surrogatepass")
    except UnicodeDecodeError:  # no tool has such a name
        return unquote_plus(name, errors="replace")


def asks_for_whole(uri: str) -> bool:
    """Return whether a URI asks for whole descriptions."""
    return any(value.lower() in ("true", "1") for value in _values(uri, "whole"))


def _values(uri: str, wanted: str) -> list[str]:
    query = uri.partition("?")[2].partition("#")[0]
    fields = (field.partition("=") for field in query.split("&"))
    return [value for key, _, value in fields if key == wanted]
