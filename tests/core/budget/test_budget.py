import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import Policy
from penstock.core.budget.budget import Budget
from penstock.core.budget.estimate import EstimateMeter
from penstock.core.budget.measure import O200kMeter, measure
from penstock.errors import InvalidSetting

EXACT = O200kMeter()


def limit(minimum, maximum=10**9):
    return st.none() | st.integers(minimum, maximum)


def budgets(maximum=10**9):
    limits = st.fixed_dictionaries(
        {
            "bytes": limit(1_000, maximum),
            "chars": limit(1_000, maximum),
            "tokens": limit(2_000, max(maximum, 2_000)),
            "lines": limit(1, maximum),
        }
    )
    some = limits.filter(lambda values: any(values[unit] for unit in ("bytes", "chars", "tokens")))
    return st.builds(with_safety, some, st.floats(1, 4))


def with_safety(limits, safety):
    """Return a budget. Only a limit in tokens allows a safety factor."""
    return Budget(**limits, safety=safety if limits["tokens"] else 1)


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("10kB", Budget(bytes=10_000)),
        ("10KB", Budget(bytes=10_000)),
        ("10KiB", Budget(bytes=10_240)),
        ("10 kib", Budget(bytes=10_240)),
        ("1MB", Budget(bytes=1_000_000)),
        ("1MiB", Budget(bytes=1_048_576)),
        ("1.5kB", Budget(bytes=1_500)),
        ("25000B", Budget(bytes=25_000)),
        ("25,000B", Budget(bytes=25_000)),
        ("25000", Budget(bytes=25_000)),
        ("8000tok", Budget(tokens=8_000)),
        ("8ktok", Budget(tokens=8_000)),
        ("8000 tokens", Budget(tokens=8_000)),
        ("50000ch", Budget(chars=50_000)),
        ("50_000ch", Budget(chars=50_000)),
        ("50kch", Budget(chars=50_000)),
        ("10KiB+256lines", Budget(bytes=10_240, lines=256)),
        ("10KiB + 256 LINES", Budget(bytes=10_240, lines=256)),
        ("25000tok 50000ch", Budget(tokens=25_000, chars=50_000)),
        ("25000tok+50kch*1.2", Budget(tokens=25_000, chars=50_000, safety=1.2)),
        (25_000, Budget(bytes=25_000)),
        (Budget(chars=1_000, lines=3), Budget(chars=1_000, lines=3)),
    ],
)
def test_parse(text, budget):
    assert Budget.parse(text) == budget


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "kB", "tok", "-10kB", "10kB-", "10 parsecs", "10kB+", "+10kB", "10kB+12kB", "1e4B",
        "1,5kB", "1.2345kB", "10kB 3", "*1.2", "25kB*", "nan", "\u0661\u0660kB",
        None, True, 2.5e4, [25_000],
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_answered_with_the_units(value):
    with pytest.raises(InvalidSetting, match=r"kB.*tok.*lines.*for example") as raised:
        Budget.parse(value)

    assert raised.value.setting == "budget"


@given(budgets())
def test_the_text_of_a_budget_reads_back_as_the_budget(budget):
    assert Budget.parse(str(budget)) == budget


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("budget.bytes", {"bytes": 999}),
        ("budget.chars", {"chars": 999}),
        ("budget.tokens", {"tokens": 399}),
        ("budget.lines", {"lines": 0}),
        ("budget.lines", {"lines": True}),
        ("budget.bytes", {"bytes": 25_000.0}),
        ("budget.chars", {"bytes": 25_000, "chars": -1}),
        ("budget", {"lines": 256}),
        ("budget.safety", {"bytes": 25_000, "safety": 2}),
        ("budget.tokens", {"tokens": 900, "safety": 2}),
        ("budget.safety", {"bytes": 25_000, "safety": 5}),
        ("budget.safety", {"bytes": 25_000, "safety": 0.5}),
        ("budget.safety", {"bytes": 25_000, "safety": float("nan")}),
        ("budget.safety", {"bytes": 25_000, "safety": True}),
        ("budget", {}),
    ],
)
def test_a_bad_limit_is_named(setting, values):
    with pytest.raises(InvalidSetting) as raised:
        Budget(**values)

    assert raised.value.setting == setting


def test_the_smallest_limits_are_allowed():
    assert Budget(bytes=1_000, chars=1_000, tokens=500, lines=1)


def holds(budget, size):
    return (
        (budget.bytes is None or size.bytes <= budget.bytes)
        and (budget.chars is None or size.chars <= budget.chars)
        and (budget.lines is None or size.lines <= budget.lines)
        and (budget.tokens is None or size.tokens <= int(budget.tokens / budget.safety))
    )


# Texts are repeated to lie on both sides of limits, which begin at 1,000.
wires = st.builds(
    lambda text, times: (text * times).encode(),
    st.text(st.sampled_from('az19 "\\n\u00e9\u4e2d\U0001f600'), min_size=1, max_size=8),
    st.integers(1, 1_500),
)


@pytest.mark.parametrize("meter", [EXACT, EstimateMeter()], ids=lambda meter: meter.name)
@given(budgets(maximum=5_000), wires)
def test_admits_agrees_with_measure(meter, budget, wire):
    assert budget.admits(wire, meter) == holds(budget, measure(wire, meter))


@given(budgets(maximum=5_000), wires)
def test_what_may_not_be_admitted_is_not(budget, wire):
    if not budget.may_admit(len(wire)):
        assert not holds(budget, measure(wire, EXACT))


@pytest.mark.parametrize(
    ("budget", "wire"),
    [
        (Budget(bytes=1_000), b"x" * 1_000),
        (Budget(chars=1_000), "\U0001f600".encode() * 1_000),
        (Budget(tokens=500), b" " * (128 * 500)),
        (Budget(bytes=1_000, lines=3), rb"\n\n"),
    ],
    ids=["bytes", "chars", "tokens", "lines"],
)
def test_a_text_may_fill_its_budget_and_no_more(budget, wire):
    assert budget.admits(wire, EXACT)
    assert not budget.admits(wire + rb"\n", EXACT)


def test_safety_counts_tokens_more_than_once():
    wire = b"1," * 500

    assert EXACT.count(wire.decode()) == 1_000
    assert Budget(tokens=1_200, safety=1.2).admits(wire, EXACT)
    assert not Budget(tokens=1_200, safety=1.3).admits(wire, EXACT)


class Unused:
    name = "unused"

    def count(self, text):
        raise AssertionError

    exceeds = count


def test_the_dear_limits_are_not_looked_at_when_a_cheap_one_fails():
    assert not Budget(bytes=1_000, tokens=500).admits(b"x" * 1_001, Unused())
    assert not Budget(tokens=500).admits(b"x" * (128 * 500 + 1), Unused())


def test_capped_takes_the_tighter_limit_of_each_unit():
    budget = Budget(bytes=10_000, tokens=2_000, lines=50, safety=1.5)

    assert budget.capped(bytes=20_000, tokens=800) == Budget(
        bytes=10_000, tokens=800, lines=50, safety=1.5
    )
    assert budget.capped(bytes=2_000, lines=9) == Budget(
        bytes=2_000, tokens=2_000, lines=9, safety=1.5
    )


def test_defaults():
    assert str(Policy().budget) == "25000B"
    assert str(Policy().ceiling) == "150000ch"
