"""Half of Vega-Lite's own gallery: with only the columns that `referenced_fields` names, every
picture is the same."""

import json
import re

import gallery
import pytest

from penstock.widgets import referenced_fields

MISSING = gallery.missing()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING or "never")

# Small enough that processes can share them, large enough that their names stay readable.
AT_ONCE = 12
NAMES = [] if MISSING else list(gallery.specs())
GROUPS = [NAMES[start : start + AT_ONCE] for start in range(0, len(NAMES), AT_ONCE)]

# In Vega these may be a place of a mark, and not a column.
OF_ITEMS = {"x", "y", "datum"}
FIELDS = ("field", "fields", "groupby", "key")
IN_EXPRESSION = re.compile(r"""datum(?:\.([\w$]+)|\["([^"\\]+)"\])""")
FIRST_STEP = re.compile(r"(?:\\.|[^.\[\\])+")
# What draws random numbers, and something alike that does not.
SETTLED = {
    r'"ci"': '"stdev"',
    r'"ci0"': '"q1"',
    r'"ci1"': '"q3"',
    r'"sample":\s*\d+': '"sample": 1000000',
    r"\brandom\(\)": "0.5",
}


def pictures(spec):
    """With all columns, and with those that are referred to."""
    whole = gallery.Pruned(spec)
    pruned = gallery.Pruned(spec, referenced_fields(spec))
    before = gallery.svg(whole.spec)
    return before, before if pruned.spec == whole.spec else gallery.svg(pruned.spec)


def is_random(spec):
    """Whether the picture is another one each time."""
    whole = gallery.Pruned(spec).spec
    return gallery.svg(whole) != gallery.svg(whole)


def settled(text):
    for drawn, still in SETTLED.items():
        text = re.sub(drawn, still, text)
    return json.loads(text)


def stays_the_same(name):
    """Where random numbers are drawn, the picture without them tells."""
    text = gallery.specs()[name]
    whole, pruned = pictures(json.loads(text))
    if whole != pruned and is_random(json.loads(text)):
        whole, pruned = pictures(settled(text))
    return whole == pruned


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: f"{names[0]}..{names[-1]}")
def test_pictures_stay_the_same(names, capfd):
    """Vega draws what it can and reports the rest, so a report would be of a picture in part."""
    assert [name for name in names if not stays_the_same(name)] == []
    assert "ERROR" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    "name",
    [
        "errorband_2d_horizontal_color_encoding",
        "layer_line_errorband_2d_horizontal_borders_strokedash",
        "layer_point_errorbar_2d_horizontal_ci",
        "layer_point_errorbar_ci",
        "point_offset_random",
    ],
)
def test_only_without_random_numbers_can_these_be_compared(name):
    if name not in NAMES:
        pytest.skip(f"{name} is not in this archive")
    text = gallery.specs()[name]
    assert is_random(json.loads(text))
    assert not is_random(settled(text))


def named(part, key=""):
    """The columns that a compiled spec names in a field or an expression, as Vega-Lite writes them."""
    if isinstance(part, str):
        if key in FIELDS and (path := FIRST_STEP.match(part)):
            yield path[0].replace("\\", "")
        yield from (name or quoted for name, quoted in IN_EXPRESSION.findall(part))
    elif isinstance(part, dict):
        for name, value in part.items():
            if name != "values":
                yield from named(value, name)
    elif isinstance(part, list):
        for each in part:
            yield from named(each, key)


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: f"{names[0]}..{names[-1]}")
def test_what_the_compiled_spec_refers_to_is_kept(names):
    """Pictures show neither tooltips nor what a selection does; the Vega that Vega-Lite makes of a
    spec has both, written out."""
    lost = {}
    seen = set()
    for name in names:
        spec = json.loads(gallery.specs()[name])
        columns = gallery.Pruned(spec).there
        fields = referenced_fields(spec)
        compiled = set(named(gallery.vega(spec))) - OF_ITEMS
        found = {each for each in columns if each in compiled}
        lost[name] = {each for each in found if each not in fields}
        seen |= found
    assert seen
    assert not any(lost.values()), lost


def test_much_is_left_out():
    kept = there = smaller = everything = 0
    for text in gallery.specs().values():
        spec = json.loads(text)
        fields = referenced_fields(spec)
        pruned = gallery.Pruned(spec, fields)
        kept += len(pruned.kept)
        there += len(pruned.there)
        smaller += len(pruned.kept) < len(pruned.there)
        everything += fields.everything
    assert kept < there / 2
    assert smaller > len(NAMES) / 2
    assert everything < len(NAMES) / 50
