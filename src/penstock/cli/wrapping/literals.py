"""The spelling, in JSON and in TOML, of what Penstock adds to a config."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Protocol

from penstock.cli.wrapping import jsonc, toml
from penstock.cli.wrapping.tree import TreeTable
from penstock.core.json import rawjson


class Dialect(Protocol):
    """The reader and the spelling of one language."""

    joint: str  # the text between a key and its value

    def scan(self, text: str) -> TreeTable: ...
    def string(self, text: str) -> str: ...
    def key(self, name: str) -> str: ...
    def table(self, members: Iterable[tuple[str, str]]) -> str:
        """Return a table of names and values. The values are already spelled."""


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
        """Use single quotes where they save escapes: JSON and Windows paths stay readable."""
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
