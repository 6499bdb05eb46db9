"""The resource that holds full descriptions: how it is addressed."""

from __future__ import annotations

from typing import Final

URI: Final = "resource:///tool_descriptions"
TEMPLATE: Final = URI + "{?tools}"


def uri_for(*names: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 (slow to import, and needed on demand alone)

    return f"{URI}?tools={','.join(quote(name, safe='') for name in names)}"


def is_descriptions(uri: str) -> bool:
    return uri == URI or uri.startswith(URI + "?")
