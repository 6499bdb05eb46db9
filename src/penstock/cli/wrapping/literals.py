"""How JSON and TOML spell what Penstock adds to a config."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Protocol

from penstock.cli.wrapping import jsonc, toml
from penstock.cli.wrapping.tree import TreeTable
from penstock.core.json import rawjson


class Dialect(Protocol):
    """Reads and spells one language. The values of a table are given as they are spelled."""

    joint: str

    def scan(self, text: str) -> TreeTable: ...
    def string(self, text: str) -> str: ...
    def key(self, name: str) -> str: ...
    def table(self, members: Iterable[tuple[str, str]]) -> str: ...


class Json:
    joint = ": "

    def scan(self, text: str) -> TreeTable:
        return jsonc.scan(text)

    def string(self, text: str) -> str:
        return rawjson.string(text).decode()

    def key(self, name: str) -> str:
        return self.string(name)

    def table(self, members: Iterable[tuple[str, str]]) -> str:
        return "{" + ", ".join(f"{self.key(name)}: {value}" for name, value in members) + "}"


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class Toml:
    joint = " = "

    def scan(self, text: str) -> TreeTable:
        return toml.scan(text)

    def string(self, text: str) -> str:
        """In single quotes where that saves escapes: JSON and paths of Windows stay readable."""
        if ('"' in text or "\\" in text) and "'" not in text and text.isprintable():
            return f"'{text}'"
        return rawjson.string(text).decode().replace("\x7f", r"\u007f")

    def key(self, name: str) -> str:
        return name if _BARE_KEY.fullmatch(name) else self.string(name)

    def table(self, members: Iterable[tuple[str, str]]) -> str:
        inside = ", ".join(f"{self.key(name)} = {value}" for name, value in members)
        return f"{{ {inside} }}" if inside else "{}"


JSON: Final = Json()
TOML: Final = Toml()


def array(elements: Iterable[str]) -> str:
    return "[" + ", ".join(elements) + "]"
