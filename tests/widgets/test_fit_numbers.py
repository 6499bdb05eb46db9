"""Numbers as JavaScript writes them: the cap holds also after a host has written the payload again."""

import json
from dataclasses import dataclass

import msgspec
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from javascript import JavaScript, length

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import default_meter
from penstock.core.json.encoding import encode
from penstock.core.json.js_numbers import growth, respelled
from penstock.widgets import fit_rows

FEWER = settings(max_examples=settings.default.max_examples // 2)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(10**25), 10**25),
    # Just below a power of ten, which is what JavaScript may round up to.
    st.builds(lambda power, below: 10**power - below, st.integers(15, 21), st.integers(1, 10**5)),
    st.builds(lambda digits, zeros: digits * 10**zeros, st.integers(), st.integers(0, 320)),
    st.builds(lambda nines: 10**nines - 1, st.integers(1, 30)),
    st.builds(
        lambda digits, power: float(f"{digits}e{power}"),
        st.integers(-999, 999),
        st.integers(-330, 300),
    ),
)
# Any spelling, as a parser's raw JSON may have it.
spellings = st.from_regex(
    r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
)


@pytest.fixture(scope="module")
def javascript():
    with JavaScript() as node:
        yield node


@dataclass
class Judged:
    """A payload as it is sent, and as JavaScript writes it."""

    sent: str
    rewritten: str

    @property
    def longest(self) -> int:
        return max(length(self.sent), length(self.rewritten))


def judged(javascript, wire: bytes) -> Judged:
    return Judged(wire.decode(), javascript.rewritten(wire))


# -- a number ------------------------------------------------------------------------------------


@given(st.one_of(numbers.map(encode), spellings.map(str.encode)))
@example(b"99999999999999999999")  # 20 digits become 21
@example(b"9999999999999998977")  # 15 nines alone
@example(b"-9999999999999999")
@example(b"9999999999999999.5")
@example(b"0.99999999999999999999")
@example(b"1e400")
@example(b"-0.0")
@example(b"9" * 400)
@example(b"12345678901234567890123")
@FEWER
def test_a_number_grows_as_javascript_makes_it(javascript, spelled):
    """Between brackets, alone, and between others."""
    rewritten = javascript.rewritten(spelled)
    more = max(0, len(rewritten) - len(spelled))
    assert growth(b'{"a":%b}' % spelled) == more
    assert growth(b'{"a":[%b,"1e20",%b]}' % (spelled, spelled)) == 2 * more


@given(st.lists(spellings | st.text(max_size=5).map(json.dumps), max_size=6))
@FEWER
def test_numbers_are_spelled_as_javascript_spells_them(javascript, items):
    texts = [each for each in items if each.startswith('"')]
    again = [each if each in texts else javascript.rewritten(each.encode()) for each in items]
    wire = respelled(f"[{','.join(items)}]".encode())
    assert wire.decode() == f"[{','.join(again)}]"


@pytest.mark.parametrize(
    "text",
    ["1e20", ",1e20,", ":1e20}", '"1e20', "\\", '\\",1e20,"', "[9999999999999999]", "3e5f-1e20"],
)
def test_a_text_that_holds_a_number_does_not_grow(text):
    wire = encode([{"a": text, text: [text, 1.5]}])
    assert growth(wire) == 0
    assert respelled(wire) == wire


# -- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1e20, 1e-6, 123e18, 10**20 - 1, msgspec.Raw(b"1E20")])
@pytest.mark.parametrize("choose", ["first", "spread", "largest"])
def test_a_host_that_writes_the_numbers_again_stays_under_the_cap(javascript, value, choose):
    rows = [{"at": at, "a": value, "b": [value, {"c": value}]} for at in range(20_000)]
    fitted = fit_rows(rows, choose=choose, by="at" if choose == "largest" else None)
    sizes = judged(javascript, fitted.json)
    assert fitted.truncated
    assert 130_000 - len(javascript.rewritten(encode(rows[-1]))) <= fitted.size <= 130_000
    assert fitted.size == sizes.longest


def test_a_frame_is_measured_in_the_same_way(javascript):
    fitted = fit_rows(pd.DataFrame({"a": [1e20] * 20_000}))
    assert fitted.size == judged(javascript, fitted.json).longest <= 130_000
    assert fitted.size > 129_900


def test_one_row_that_is_too_large_only_for_javascript(javascript):
    wide = {f"c{at}": 1e20 for at in range(5_000)}
    fitted = fit_rows([wide, {"c0": 1}])
    assert fitted.rows == [{"c0": 1}]
    assert len(encode(wide)) < 130_000 < length(javascript.rewritten(encode(wide)))


@pytest.mark.parametrize("budget", ["2kB", "600tok", "2kch+40lines", "600tok*1.2"])
@pytest.mark.parametrize("value", [1e20, 12345678901234567890123])
def test_every_limit_of_a_budget_holds_for_both_spellings(javascript, budget, value):
    fitted = fit_rows([{"a": value, "at": at} for at in range(2_000)], budget)
    limits, meter = Budget.parse(budget), default_meter()
    sizes = judged(javascript, fitted.json)
    assert len(fitted.rows) > 1
    assert limits.admits(sizes.sent.encode(), meter)
    assert limits.admits(sizes.rewritten.encode(), meter)


values = st.one_of(numbers, st.text(max_size=8), st.none(), st.lists(numbers, max_size=3))
tables = st.lists(st.dictionaries(st.sampled_from("abc"), values, max_size=3), max_size=12)


@given(tables, st.integers(64, 400))
@FEWER
def test_the_cap_holds_for_the_longer_spelling(javascript, rows, budget):
    fitted = fit_rows(rows, budget)
    assert judged(javascript, fitted.json).longest <= fitted.size <= budget
