"""Generated results, budgets and frames."""

import random
from dataclasses import dataclass
from typing import Any

import msgspec
from exactly import Number, Pairs, exactly, render
from hypothesis import settings
from hypothesis import strategies as st

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import EstimateMeter, O200kMeter
from penstock.core.model.values import Frame, LiveRows, Result

EXACT = O200kMeter()
METERS = (EXACT, EstimateMeter())
# Quick tests run more examples, slow tests fewer.
TWICE = settings(max_examples=2 * settings.default.max_examples)
HALF = settings(max_examples=settings.default.max_examples // 2)
SELDOM = settings(max_examples=settings.default.max_examples // 3)
RARELY = settings(max_examples=settings.default.max_examples // 8)
_WORDS = (
    "a", "id", "name", "value", "key", "items", "result", "total", "", " ", "/", "~", "~1", "~0", "~#0",
    "~#1", "a/b", "m~n", "a.b", "0", "1", "-", "…", "ключ", "キー", "😀", "\u0000", "a\nb", '"', "\\",
    "\ud800", "$size", "ß", "İ", "next", "envelope", "window",
)  # fmt: skip
_NUMBERS = (
    "0", "-0", "1.0", "1e5", "1E+400", "-1.50", "0.1000000000000000055511151231257827",
    "123456789012345678901234567890", "-98765432109876543210987654321098765.4321e-10",
)  # fmt: skip
_SCRIPTS = (
    "abcdefghij klmnop", "0123456789abcdef", "żółć ĄĘ", "数据库管理", "😀🎉👩‍👩‍👧", '"\\/', "\n", "a\n", "\r\n\t",
    "\ud800a", "\u0000\u001f", "ΑΒΓ αβγς", "ERROR warn 12 ", "\u2028\u0085x",
)  # fmt: skip


# -- values ------------------------------------------------------------------------------------


def _characters() -> st.SearchStrategy[str]:
    return st.characters(exclude_categories=())  # lone surrogates too


def texts(longest: int = 1_500) -> st.SearchStrategy[str]:
    pieces = st.one_of(st.sampled_from(_SCRIPTS), st.text(_characters(), min_size=1, max_size=6))
    long = st.builds(lambda piece, size: (piece * size)[:size], pieces, st.integers(0, longest))
    return st.one_of(st.text(_characters(), max_size=12), st.sampled_from(_WORDS), long)


def keys() -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(_WORDS), st.text(_characters(), max_size=6).filter(_no_mark), texts(1_200)
    ).filter(_no_mark)


def _no_mark(text: str) -> bool:
    return text != "$path"  # the name that marks a stub, so data must not have it


def numbers() -> st.SearchStrategy[Number]:
    digits = st.integers(1, 1_500).map(lambda size: Number("1" + "0123456789" * (size // 10)))
    return st.one_of(
        st.sampled_from(_NUMBERS).map(Number), st.integers().map(lambda n: Number(str(n))), digits
    )


def leaves() -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), st.booleans(), numbers(), texts())


def trees(most: int = 15) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves(),
        lambda inner: st.one_of(st.lists(inner, max_size=5), pairs(inner)),
        max_leaves=most,
    )


def pairs(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Pairs]:
    """Generate objects, some with the same key twice."""
    return st.lists(st.tuples(keys(), inner), max_size=5).map(lambda entries: Pairs(tuple(entries)))


def tables() -> st.SearchStrategy[Any]:
    """Generate tables of many rows at the cost of one generated number."""
    return st.builds(
        _table, st.integers(0, 2**32), st.integers(0, 60), st.sampled_from((5, 40, 900))
    )


def _table(seed: int, count: int, width: int) -> list[Any]:
    draw = random.Random(seed)
    columns = draw.sample(_WORDS, draw.randint(1, 6))
    return [
        Pairs(tuple((name, _cell(draw, width)) for name in columns if draw.random() < 0.9))
        for _ in range(count)
    ]


def _cell(draw: random.Random, width: int) -> Any:
    kind = draw.randrange(8)
    if kind == 0:
        return Number(draw.choice(_NUMBERS))
    if kind == 1:
        return Number(str(draw.randrange(10 ** draw.randint(1, 40))))
    if kind == 2:
        return draw.choice([None, True, False, [], Pairs(())])
    if kind == 3:
        return [_cell(draw, width // 2) for _ in range(draw.randint(0, 3))]
    if kind == 4:
        return Pairs(
            tuple((draw.choice(_WORDS), _cell(draw, width // 2)) for _ in range(draw.randint(0, 3)))
        )
    script = draw.choice(_SCRIPTS)
    return (script * width)[: draw.randint(0, width)]


def one_list() -> st.SearchStrategy[Pairs]:
    """Generate dicts with one list and other values beside it."""
    others = st.lists(st.tuples(keys(), leaves()), max_size=3)
    return st.builds(
        lambda before, key, rows, after: Pairs((*before, (key, rows), *after)),
        others, keys(), st.one_of(tables(), st.lists(trees(5), max_size=6)), others,
    )  # fmt: skip


def maps() -> st.SearchStrategy[Pairs]:
    """Generate maps of alike entries."""
    return tables().map(
        lambda rows: Pairs(tuple((f"entry {i}", row) for i, row in enumerate(rows)))
    )


def chains() -> st.SearchStrategy[Any]:
    """Generate deep values, under keys that make a long path."""

    def nest(names: list[str], leaf: Any) -> Any:
        for name in names:
            leaf = Pairs(((name, leaf), ("other", Number("1"))))
        return leaf

    return st.builds(nest, st.lists(keys(), min_size=1, max_size=40), texts())  # fmt: skip


def documents() -> st.SearchStrategy[Any]:
    kinds = (trees(), tables(), one_list(), maps(), chains(), st.lists(leaves(), max_size=30))
    return st.one_of(kinds).filter(_has_a_path)


def _has_a_path(value: Any) -> bool:
    """See `test_a_list_under_half_a_surrogate_pair`."""
    entries = value.entries if isinstance(value, Pairs) else ()
    return not any(isinstance(item, list) and is_half(name) for name, item in entries)


def is_half(text: str) -> bool:
    """Return whether a text has half a surrogate pair, which JSON allows and UTF-8 does not."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def long_texts() -> st.SearchStrategy[str]:
    lines = st.lists(texts(500), max_size=20)
    return st.builds(lambda parts, times: "\n".join(parts * times), lines, st.integers(1, 6))


# -- results -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """The result of a tool, and its stored form."""

    result: Result
    stored: Any  # exact JSON, or text
    is_text: bool = False
    ascii_only: bool = False


def structured(value: Any, ascii_only: bool = False) -> Given:
    """Return a structured result. Only an object is structured content; wrap anything else."""
    wrapped = (
        value
        if isinstance(value, Pairs) and value.names != ["result"]
        else Pairs((("result", value),))
    )
    raw = render(wrapped, ascii_only=ascii_only).encode()
    stored = wrapped if isinstance(value, Pairs) else value
    return Given(Result(structured=msgspec.Raw(raw)), stored, _is_text(stored), ascii_only)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Number)


def _text(text: str) -> Given:
    return Given(Result.of(text), text, is_text=True)


def _json_text(value: Any, ascii_only: bool) -> Given:
    text = render(value, ascii_only=ascii_only)
    if text[:1] not in "{[":
        return _text(text)
    return Given(Result.of(text), value, ascii_only=ascii_only)


def _blocks(texts_given: list[str]) -> Given:
    blocks = tuple({"type": "text", "text": text} for text in texts_given)
    stored = [_reading(text) for text in texts_given]
    if len(stored) == 1:
        return Given(Result(content=blocks), stored[0], is_text=isinstance(stored[0], str))
    return Given(Result(content=blocks), stored)


def _reading(text: str) -> Any:
    if text.lstrip(" \t\r\n")[:1] not in ("{", "["):
        return text
    try:
        return exactly(text)
    except ValueError:
        return text


def is_plain(given: Given) -> bool:
    return given.is_text or not isinstance(given.stored, Pairs | list)


def said_twice() -> st.SearchStrategy[Result]:
    """Generate results that frameworks send: structured content, and the same as text, with `_meta`
    and sometimes another block."""
    return st.builds(
        _said_twice,
        documents().map(structured),
        st.booleans(),
        st.one_of(st.just(""), texts(600)),
        st.dictionaries(keys(), texts(3_000), max_size=2),
    )


def _said_twice(given: Given, is_inner: bool, more: str, meta: dict[str, Any]) -> Result:
    raw = given.result.structured
    value = render(given.stored) if is_inner and not given.is_text else bytes(raw).decode()
    texts_given = [given.stored if given.is_text else value, *([more] if more else [])]
    blocks = tuple({"type": "text", "text": text, "_meta": meta} for text in texts_given)
    return Result(blocks, raw, meta={"vendor/a": meta})


def given_results() -> st.SearchStrategy[Given]:
    return st.one_of(
        st.builds(structured, documents(), st.booleans()),
        st.builds(_json_text, documents(), st.booleans()),
        long_texts().filter(lambda text: text.lstrip(" \t\r\n")[:1] not in ("{", "[")).map(_text),
        st.lists(st.one_of(texts(), trees(4).map(render)), min_size=2, max_size=5).map(_blocks),
    )


@dataclass(frozen=True)
class Living:
    """A live list, and the hook that reads it."""

    rows: list[Any]

    @property
    def encoded(self) -> list[bytes]:
        return [render(row).encode() for row in self.rows]

    def result(self, page_size: int = 20) -> LiveRows:
        rows = self.encoded
        return LiveRows({"list": "all"}, len(rows), rows[:page_size], sum(map(len, rows)))

    def hooks(self, still: int | None = None) -> dict[str, Any]:
        """Return the hooks of a list of which only the first `still` rows are left."""
        rows = self.encoded[:still]
        return {"live_rows": lambda _, start, stop: rows[start:stop]}


def living() -> st.SearchStrategy[Living]:
    return st.one_of(tables(), st.lists(trees(5), max_size=30)).map(Living)


# -- budgets and frames ------------------------------------------------------------------------


def budgets() -> st.SearchStrategy[Budget]:
    sizes = st.one_of(st.just(1_000), st.integers(1_000, 1_200), st.integers(1_000, 6_000))
    tokens = st.one_of(st.just(500), st.integers(500, 600), st.integers(500, 3_000))
    lines = st.one_of(st.just(1), st.integers(1, 5), st.integers(1, 100))
    limits = {"bytes": sizes, "chars": sizes, "tokens": tokens, "lines": lines}
    chosen = st.fixed_dictionaries({}, optional=limits).filter(
        lambda given: given.keys() - {"lines"}
    )
    return chosen.map(lambda limits: Budget(**limits))


@dataclass(frozen=True)
class Scene:
    """The limits of a reply, its frame, and the meter that weighs it."""

    budget: Budget
    frame: Frame
    meter: Any
    both: bool = False  # the host shows content and structured content


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    fields = draw(st.sampled_from(({}, {"resultType": "complete", "isError": False})))
    frame = Frame(structured=draw(st.booleans()), fields=fields)
    return Scene(draw(budgets()), frame, draw(st.sampled_from(METERS)), draw(st.booleans()))
