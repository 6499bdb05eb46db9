"""The resource that holds full descriptions: how it is addressed."""

from __future__ import annotations

from typing import Final

URI: Final = "resource:///tool_descriptions"
_PATH: Final = "tool_descriptions"
TEMPLATE: Final = URI + "{?tools}"


def uri_for(*names: str) -> str:
    from urllib.parse import quote

    return f"{URI}?tools={','.join(quote(name, '', errors='surrogatepass') for name in names)}"


def is_descriptions(uri: str) -> bool:
    """Also where it is not quite right: then the answer says how it is written."""
    scheme, _, rest = uri.partition(":")
    path = rest.lstrip("/")
    after = path.removeprefix(_PATH)
    return scheme == "resource" and path.startswith(_PATH) and after[:1] in ("", "/", "?", "#", "{")


def named_in(uri: str) -> list[str]:
    """The tools that a URI asks for."""
    from urllib.parse import unquote_plus

    query = uri.partition("?")[2].partition("#")[0]
    fields = (field.partition("=") for field in query.split("&"))
    values = [value for key, _, value in fields if key == "tools"]
    names = [name for value in values for name in value.split(",")]
    return [unquote_plus(name, errors="surrogatepass") for name in names]
