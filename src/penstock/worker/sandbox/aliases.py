"""Names without quotes for dotted columns: `properties_mag` is the column "properties.mag". So is
`id` for the column "@id" of XML.

These names are no columns of the table. A second column would show each value twice in `SELECT *`,
count against SQLite's limit, and take time at loading. Instead, a statement that fails because
such a name is no column is run again with the column's own name. So a name that means something
to SQLite, such as one that the statement itself defines, keeps its meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from penstock.worker.sandbox.table import Columns

_NO_COLUMN = "no such column: "
_MARK = re.compile(r"\.|^[@#]")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME = r"[A-Za-z_]\w*|`(?:[^`]|``)*`|\[[^\]]*\]"
# A text, a comment, or a name, perhaps after the name of its table.
_TOKEN = re.compile(
    rf"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/|(?<![\w.])(?:(?P<table>{_NAME})\s*\.\s*)?(?P<name>{_NAME})",
    re.DOTALL,
)


def aliases_of(tables: Iterable[Columns]) -> dict[str, str]:
    """Return the column for each alias, which is in lower case. An alias that is also the name of a
    column, or that fits two columns, is left out."""
    columns = {name for table in tables for name in table.names}
    dotted = {name: _plain(name) for name in columns if _MARK.search(name)}
    uses = Counter(dotted.values())
    uses.update(name.lower() for name in columns)
    return {
        alias: name for name, alias in dotted.items() if uses[alias] == 1 and _WORD.fullmatch(alias)
    }


def _plain(name: str) -> str:
    """Return a name without the marks of attributes and texts in XML: `book_id` for "book.@id"."""
    return re.sub(r"(^|\.)[@#]", r"\1", name).replace(".", "_").lower()


@dataclass(slots=True)
class Spelling:
    """A statement, and the aliases that were replaced in it."""

    statement: str
    aliases: dict[str, str]
    _replaced: set[str] = field(default_factory=set)
    _labels: dict[str, str] = field(default_factory=dict)

    def corrected(self, message: str) -> bool:
        """Replace the name that is no column, according to SQLite's message, by the column that it
        is an alias of. Return False if it is no alias."""
        asked = message.removeprefix(_NO_COLUMN)
        table, _, alias = asked.rpartition(".")
        column = self.aliases.get(alias.lower())
        if asked == message or column is None or asked in self._replaced:
            return False
        self._replaced.add(asked)
        self._note_label(alias, column)
        self.statement = "".join(_with_column(self.statement, table, alias, column))
        return True

    def label(self, name: str) -> str:
        """Return the name of a column of the answer: the one that the statement gives it by AS."""
        return self._labels.get(name, name)

    def _note_label(self, alias: str, column: str) -> None:
        if re.search(rf"\bAS\s+`?{re.escape(alias)}\b", self.statement, re.IGNORECASE):
            self._labels[column] = alias


def _with_column(statement: str, table: str, alias: str, column: str) -> Iterator[str]:
    own = "`" + column.replace("`", "``") + "`"
    end = 0
    for token in _TOKEN.finditer(statement):
        name = token["name"]
        if name is None or _bare(name) != alias.lower():
            continue
        if _bare(token["table"] or "") == table.lower():
            yield statement[end : token.start("name")] + own
            end = token.end()
    yield statement[end:]


def _bare(name: str) -> str:
    if name[:1] in ("`", "["):
        name = name[1:-1].replace("``", "`")
    return name.lower()
