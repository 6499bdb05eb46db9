"""The explorer reaches every part of a result, exactly, and sorts and filters as plain Python does."""

import json
import re
import unicodedata
from fractions import Fraction
from typing import Any

from agent import Clock, Counted
from exactly import Number, Pairs, exactly, render
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import EXACT, HALF, Scene, documents, long_texts, scenes
from weighing import over

from penstock.core.budget.budget import Budget
from penstock.core.json.js_numbers import in_javascript
from penstock.core.model.questions import Limits, WorkerAnswer
from penstock.core.model.values import Call, Frame, Principal
from penstock.core.protocol.entries import Context, new_entry
from penstock.core.results.document import read_json, read_text
from penstock.core.results.ingest import ingest
from penstock.core.views.paths import TEXT_STEP
from penstock.gate.gate import Gate
from penstock.settings.policy import Policy
from penstock.stores.memory import MemoryStore
from penstock.worker.sandbox.sql import Table

# Each example reads a whole document in very small replies.
FEW = settings(max_examples=settings.default.max_examples // 10)
LARGEST = 20_000

# -- every part is reached ----------------------------------------------------------------------


# The paths of the cut cells of a row, by the steps from the row to the cell. No step: the row itself.
Cuts = dict[tuple[str | int, ...], str]


def _steps(cut: Pairs) -> tuple[str | int, ...]:
    if "steps" in cut.names:
        return tuple(step if _is_text(step) else int(step) for step in cut.last("steps"))
    column = cut.last("column")
    return () if column is None else (column,)


class Explorer:
    """An app that has only `browse`. It weighs every reply."""

    def __init__(self, scene: Scene, document: Any) -> None:
        self.policy = Policy(budget=scene.budget, ceiling=scene.budget)
        self.meter, clock = scene.meter, Clock()
        store = MemoryStore(capacity=2**28, quota=2**28)
        self.gate = Gate(self.policy, store, meter=self.meter, clock=clock, random=Counted())
        self.call = Call("tool", principal=Principal("someone"), frame=scene.frame)
        context = Context(self.policy, self.meter, clock(), Counted())
        entry, record = new_entry(self.call, context, ingest(document, self.policy.budget))
        store.put(entry.key, record, now=clock())
        self.token = str(entry.token)

    def reply(self, **arguments: Any) -> dict[str, Any] | None:
        """Return a reply, or None if the path itself is too long for the ceiling."""
        given = {"continuation_token": self.token, **arguments}
        call = Call("", given, self.call.principal, self.call.server, self.call.frame)
        reply = self.gate.browse(call)
        problem = over(reply, self.policy.ceiling, self.meter)
        assert not problem, problem
        if reply.is_error:
            assert "more room" in reply.text, reply.text
            assert len(arguments["path"]) > 150
            return None
        assert reply.structured is not None
        told = exactly(reply.structured)
        assert len(set(told.names)) == len(told.names)
        return dict(told.entries)

    def joined(self, path: str, **arguments: Any) -> str | None:
        """Return a text, put together from its windows."""
        parts: list[str] = []
        offset = 0
        while True:
            told = self.reply(path=path, offset=offset, **arguments)
            if told is None:
                return None
            window = {name: int(value) for name, value in told["window"].entries}
            assert window["from"] == offset
            assert len(told["rows"][0]) == window["to"] - offset
            parts += told["rows"]
            if window["to"] == window["of"]:
                return "".join(parts)
            assert window["to"] > offset
            offset = window["to"]

    def rows(self, path: str, first: dict[str, Any]) -> list[tuple[Any, Cuts]]:
        """Return all rows, each with its cut cells."""
        found: list[tuple[Any, Cuts]] = []
        page: dict[str, Any] | None = first
        while True:
            assert page is not None
            assert int(page["start"]) == len(found)
            cuts: list[Cuts] = [{} for _ in page["rows"]]
            for cut in page.get("cut", []):
                cuts[int(cut.last("row"))][_steps(cut)] = cut.last("path")
            found += zip(page["rows"], cuts, strict=True)
            if len(found) >= int(page["total"]):
                return found
            assert page["rows"]
            page = self.reply(path=path, start=len(found))


def compare(explorer: Explorer, path: str, original: Any) -> None:
    """Compare the value at `path`, put together from rows, cut cells and windows, with `original`."""
    if _is_text(original):  # a text that happens to hold data would be shown as the data
        path += TEXT_STEP
    page = explorer.reply(path=path)
    if page is None:
        return
    shape = page["shape"]
    if shape == "text":
        expected = original if _is_text(original) else render(original)
        assert explorer.joined(path) == expected
        return
    rows = explorer.rows(path, page)
    if shape == "lines":
        lines = [_whole(explorer, row, cuts) for row, cuts in rows]
        assert None in lines or "\n".join(map(str, lines)) == original
        return
    elements = original if isinstance(original, list) else original.entries
    if shape == "rows" and isinstance(original, Pairs):
        [elements] = [value for _, value in original.entries if isinstance(value, list)]
    assert len(rows) == len(elements)
    for (row, cuts), element in zip(rows, elements, strict=True):
        if shape == "members":
            _compare_member(explorer, row, dict(cuts), *element)
        else:
            _compare_value(explorer, row, cuts, element)


def _compare_member(explorer: Explorer, row: Any, cuts: Cuts, name: str, value: Any) -> None:
    assert row.names == ["key", "value"]
    if () in cuts or not isinstance(value, Pairs) or "key" not in value.names:
        key_path = cuts.pop(("key",), None)
        key = row.last("key") if key_path is None else _raw(explorer, key_path)
        assert key in (name, _UNREACHED)
    _compare_value(explorer, row.last("value"), cuts, value)


def _compare_value(explorer: Explorer, shown: Any, cuts: Cuts, value: Any) -> None:
    if not cuts:
        assert shown == value
        return
    if () in cuts:
        assert _raw(explorer, cuts[()]) in (value, _UNREACHED)
        compare(explorer, cuts[()], value)
        return
    if isinstance(value, list):
        assert len(shown) == len(value)
        cells = list(zip(range(len(value)), shown, value, strict=True))
    else:
        assert shown.names == list(dict.fromkeys(value.names))
        cells = [(column, shown.last(column), value.last(column)) for column in shown.names]
    for step, cell, original in cells:
        inside = {steps[1:]: path for steps, path in cuts.items() if steps[0] == step}
        _compare_value(explorer, cell, inside, original)


_UNREACHED = object()


def _raw(explorer: Explorer, path: str) -> Any:
    """Return the value of the JSON at a path."""
    text = explorer.joined(path, raw=True)
    return _UNREACHED if text is None else exactly(text)


def _whole(explorer: Explorer, row: str, cuts: Cuts) -> str | None:
    return explorer.joined(cuts[()]) if cuts else row


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Number)


@given(documents(), scenes(), st.booleans())
@FEW
def test_every_part_of_a_document_is_reached(document, scene: Scene, ascii_only: bool):
    raw = render(document, ascii_only=ascii_only).encode()
    if len(raw) > LARGEST:
        return
    explorer = Explorer(scene, read_json(raw))
    compare(explorer, "", document)
    whole = explorer.joined("", raw=True)
    if _is_text(document):
        assert exactly(whole) == document
    else:
        assert whole == raw.decode()


def test_cut_cells_inside_the_cells_of_a_row():
    """An example that the strategies seldom make."""
    large = Pairs((("a", "x" * 3_000), ("b", [Number("1")]), ("c/d", Pairs((("e", "y" * 3_000),)))))
    document = [Pairs((("in", large), ("id", Number("1")))), [large, Number("2")]]
    for rows in ([document[0]], [document[1]] * 2, document):
        explorer = Explorer(
            Scene(Budget(bytes=2_000), Frame(), EXACT), read_json(render(rows).encode())
        )
        compare(explorer, "", rows)


def test_the_one_list_under_a_key_that_comes_again():
    rows = [Pairs((("t", letter * 3_000),)) for letter in "ab"]
    inner = Pairs((("id", rows), ("other", Number("1")), ("id", "a text")))
    scene = Scene(Budget(bytes=2_000), Frame(), EXACT)
    for document in (inner, Pairs((("outer", inner), ("x", Number("2"))))):
        explorer = Explorer(scene, read_json(render(document).encode()))
        compare(explorer, "", document)
        if document is not inner:
            compare(explorer, "/outer", inner)


@given(long_texts(), scenes())
@FEW
def test_every_line_of_a_text_is_reached(text: str, scene: Scene):
    explorer = Explorer(scene, read_text(text))
    compare(explorer, "", text)
    assert exactly(explorer.joined("", raw=True)) == text


# -- sorted and filtered as in plain Python -----------------------------------------------------

NAMES = ("a", "A", "it's", "rowid", 'q"')
_texts = st.one_of(
    st.sampled_from(["", "a", "A", "ä", "Ä", "ß", "SS", "10", "9", "1.5", "b'", "%", "a\0b", "İ"]),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=3),
)
_numbers = st.one_of(
    st.integers(-5, 5),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-40, 40).map(lambda n: n / 4),
)
_decimals = st.integers(-400, 400).map(lambda n: f"{n / 4:.2f}")
_large = st.integers(-(10**25), 10**25)
_cells = st.one_of(st.none(), st.booleans(), _numbers, _large, _texts)
# Columns with values of many types, and two with values of one type.
_rows = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(NAMES, _cells),
            "flag": st.one_of(st.none(), st.booleans()),
            "price": st.one_of(st.none(), _decimals, _large),
        },
    ),
    max_size=25,
)
_COMPARED = {
    "less": lambda cell, value: cell < value,
    "at_most": lambda cell, value: cell <= value,
    "more": lambda cell, value: cell > value,
    "at_least": lambda cell, value: cell >= value,
}
_patterns = st.sampled_from(["^a", "(?i)s+$", r"\d", "[ä-ü]", "^$", "."])
_conditions = st.one_of(
    st.tuples(st.sampled_from([*_COMPARED, "equals", "not_equals"]), st.one_of(_numbers, _large, _large.map(str), _decimals, _texts, st.booleans())),
    st.tuples(st.just("contains"), st.one_of(_texts, st.integers(-9, 9))),
    st.tuples(st.just("matches"), _patterns),
    st.tuples(st.sampled_from(["is_null", "not_null"]), st.none()),
)  # fmt: skip


class Column:
    """An oracle for a column, made from all its cells."""

    def __init__(self, cells: list[Any]) -> None:
        there = [cell for cell in cells if cell is not None]
        self.is_boolean = all(isinstance(cell, bool) for cell in there)
        texts = [cell for cell in there if isinstance(cell, str)]
        self.spells = all(_JSON_NUMBER.fullmatch(text) for text in texts)

    def number(self, cell: Any) -> Fraction | None:
        if not isinstance(cell, str):
            return Fraction(cell)
        return _number(cell) if self.spells else None

    def shown(self, cell: Any) -> str:
        if isinstance(cell, bool):  # beside other types, the table has 1 and 0
            return str(cell).lower() if self.is_boolean else str(int(cell))
        return in_javascript(cell) if isinstance(cell, float) else str(cell)

    def rank(self, cell: Any) -> tuple[bool, Any]:
        number = self.number(cell)
        return (True, _rank(cell)) if number is None else (False, number)


# The table holds an integer beyond 64 bits as text, but it still counts as a number.
_JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def _number(text: str) -> Fraction | None:
    if not _JSON_NUMBER.fullmatch(text):
        return None
    return Fraction(text) if text.lstrip("-").isdigit() else Fraction(float(text))


def _rank(text: str) -> tuple[str, str]:
    folded = text.casefold()
    parts = unicodedata.normalize("NFD", folded)
    return "".join(part for part in parts if not unicodedata.combining(part)), folded


def _holds(op: str, column: Column, cell: Any, value: Any) -> bool:
    if op in ("is_null", "not_null"):
        return (cell is None) == (op == "is_null")
    if op == "not_equals":
        return not _holds("equals", column, cell, value)
    if cell is None:
        return False
    if op == "contains":
        return str(value).casefold() in column.shown(cell).casefold()
    if op == "matches":
        return re.search(value, column.shown(cell)) is not None
    held = column.number(cell)
    asked = _number(value) if isinstance(value, str) else Fraction(value)
    if op == "equals":
        alike = isinstance(value, str) and column.shown(cell).casefold() == value.casefold()
        return alike or (held is not None and held == asked)
    if held is not None:
        return asked is not None and _COMPARED[op](held, asked)
    return isinstance(value, str) and _COMPARED[op](_rank(cell), _rank(value))


def _expected(rows: list[dict], sort: Any, where: list, find: str) -> list[int]:
    columns = {name: Column([row.get(name) for row in rows]) for row in rows for name in row}
    columns.setdefault("value", Column([]))
    kept = [
        number
        for number, row in enumerate(rows)
        if all(
            _holds(c["op"], columns[c["column"]], row.get(c["column"]), c["value"]) for c in where
        )
        and (not find or any(_holds("contains", columns[name], row[name], find) for name in row))
    ]
    if sort is None:
        return kept
    name, way = sort["column"], sort["descending"]
    there = [number for number in kept if rows[number].get(name) is not None]
    there.sort(key=lambda number: columns[name].rank(rows[number][name]), reverse=way)
    return there + [number for number in kept if rows[number].get(name) is None]


_finds = st.one_of(
    st.just(""), st.sampled_from(["a", "1", "Ä", "ss", "'", "\0", "-", "tru", "FALSE", "0"])
)


@given(
    _rows,
    st.sampled_from([None, *NAMES, "flag", "price"]),
    st.booleans(),
    st.lists(_conditions, max_size=2),
    _finds,
    st.data(),
)
@HALF
@example([{"a": 2**53 + 1}, {"a": float(2**53)}], "a", False, [], "", None)
@example([{"a": 1.0}], None, False, [], "0", None)
def test_orders_are_those_of_plain_python(rows, column, descending, conditions, find, data):
    known = sorted({name for row in rows for name in row}) or ["value"]
    where = [
        {"column": data.draw(st.sampled_from(known)), "op": op, "value": value}
        for op, value in conditions
    ]
    sort = {"column": column, "descending": descending} if column in known else None
    table = Table([json.dumps(row).encode() for row in rows], "rows")
    asked = {"sort": sort, "where": where, "find": find}
    outcome = table.answer(json.dumps(asked), Limits(), "order")
    table.close()
    assert isinstance(outcome, WorkerAnswer), outcome
    assert json.loads(outcome.rows[0]) == _expected(rows, sort, where, find)
