"""Rows with a column for every purpose, and their pictures with all columns or only some."""

import gallery

from penstock.widgets import referenced_fields

FRUITS = ["fig", "lime", "pear"]
ROWS = [
    {
        "a": number * 7 % 11 + 1,
        "b": number * 5 % 13 + 2,
        "c": FRUITS[number % 3],
        "d": "even" if number % 2 == 0 else "odd",
        "t": f"202{number % 4}-0{number % 9 + 1}-11",
        "n": {"p": number * 3 % 7, "q": [{"r": number % 5}, 2]},
        "l": [number, number * 2 % 5],
        "m": [number % 3, number % 4],
        "e f": number * 3 % 8,
        "g.h": number * 4 % 9,
        "w": f"{number}.png",
        "lon": number * 12 - 70,
        "lat": number * 7 - 40,
        "k": number,
        "s": {"type": "Point", "coordinates": [number, number]},
        # Keywords of the languages that are columns here. No chart below needs them.
        **dict.fromkeys(["x", "y", "value", "label", "index", "type", "count", "key"], number),
        **dict.fromkeys(["datum_a", "data", "field", "spare", "color"], str(number)),
    }
    for number in range(12)
]
COLUMNS = frozenset(ROWS[0])

Q = "quantitative"
A = {"field": "a", "type": Q}
B = {"field": "b", "type": Q}
C = {"field": "c"}
XY = {"x": A, "y": B}


def unit(mark="point", /, transform=(), params=(), **encoding):
    return {
        "mark": mark,
        "encoding": encoding,
        **({"transform": list(transform)} if transform else {}),
        **({"params": list(params)} if params else {}),
    }


def of(name, **more):
    return {"field": name, "type": Q, **more}


MADE = of("made")


def kept(spec):
    """Return the columns of ROWS that a spec needs."""
    fields = referenced_fields(spec)
    return {column for column in COLUMNS if column in fields}


def with_rows(spec, columns=COLUMNS):
    """Return the spec with ROWS as its data, with only these columns."""
    rows = [{key: value for key, value in row.items() if key in columns} for row in ROWS]
    return {**spec, "data": {**spec.get("data", {}), "values": rows}}


def picture(spec, columns=COLUMNS):
    """Return the picture, or none if a column is missing that a transform must have."""
    return gallery.svg(with_rows(spec, columns))


def assert_needs(spec, columns, *, hidden="", also=""):
    """Assert that these columns are kept, and that the picture differs if any of them is missing.

    The picture does not show the need for columns in `hidden`: a tooltip or a click needs them.
    Columns in `also` are kept although the picture does not need them, because their names are
    words of the spec, or because the need is in doubt.
    """
    columns = set(columns)
    assert kept(spec) == columns.union(also)
    before = picture(spec)
    assert picture(spec, columns) == before
    for column in columns.difference(hidden):
        assert picture(spec, columns - {column}) != before, f"{column} makes no difference"
