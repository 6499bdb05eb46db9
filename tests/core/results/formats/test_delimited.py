"""Tables with separators: every cell counts, real headers are known, and prose stays prose."""

from __future__ import annotations

import csv
import io
import json
import random
from time import process_time

import pytest
from texts_with_data import PLAIN, as_csv

from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data


def read(text):
    document = read_text_with_data(text)
    parts = [row for block in document.blocks for row in block]
    joined = document.prefix + document.joint.join(parts) + document.suffix
    assert rawjson.text(joined) == text
    return document, parts


def rows_in(text):
    document, parts = read(text)
    assert document.format == "csv", document.notices
    return [json.loads(row) for row in decoded(document, parts)]


def table(header, *records, times=1, sep=","):
    return "\n".join([header, *(sep.join(map(str, record)) for record in records * times)]) + "\n"


def numbered(header, count=60, row="{n},{n}.5,ok"):
    return header + "\n" + "".join(row.format(n=n) + "\n" for n in range(count))


# -- types, confirmed on every cell ----------------------------------------------------------------


@pytest.mark.parametrize("count", [30, 3_000, 40_000])
@pytest.mark.parametrize(
    "late", ["none", "--", "007", "1,5", "1 2", "[1]", "true", "1.2.3", "1-2", "\t7"]
)
def test_one_cell_that_is_no_number_makes_a_column_of_texts(count, late):
    """The cell is neither in the sample nor at an end of a block."""
    records = [f"{n};{n}" for n in range(count)]
    records[count - 7] = f"{count - 7};{late}"
    rows = rows_in("id;n\n" + "\n".join(records))
    assert (rows[0]["n"], rows[-7]["n"], rows[-7]["id"]) == ("0", late, count - 7)


@pytest.mark.parametrize("late", ["unknown", "1,200", '1""2', "line\nbreak"])
def test_a_late_cell_in_quotes_counts_as_well(late):
    records = [f'"{n}","{n}"' for n in range(5_000)]
    records[4_800] = f'"4800","{late}"'
    rows = rows_in("id,n\n" + "\n".join(records))
    assert (rows[0]["n"], rows[4_800]["n"]) == ("0", late.replace('""', '"'))
    assert rows[4_800]["id"] == 4_800


@pytest.mark.parametrize(
    ("cell", "is_number"),
    [
        ("0", True), ("-12", True), ("1.10", True), ("1e5", True), ("2.5E-300", True), ("-0.5", True),
        ("123456789012345678", True), ("0.025446043828620812", True), ("5.185370000000000257e-02", True),
        ("1234567890123456789", False), ("1e999", False), ("01", False), ("1.", False), (".5", False),
        ("+1", False), ("true", False), ("NaN", False), ("0x1F", False), ("1_000", False), ("", False),
    ],
)  # fmt: skip
def test_the_numbers_that_every_reader_keeps(cell, is_number):
    rows = rows_in(table("id,x,v", *((n, "a", cell) for n in range(300))))
    assert isinstance(rows[0]["v"], int | float) == is_number
    assert rows[0]["v"] == (json.loads(cell) if is_number else cell or None)


def test_a_column_that_begins_with_empty_cells_holds_numbers():
    rows = rows_in("id,late\n" + "".join(f"{n},{n if n > 4_000 else ''}\n" for n in range(5_000)))
    assert (rows[0]["late"], rows[4_999]["late"]) == (None, 4_999)


@pytest.mark.parametrize("mark", ["NA", "n/a", "-", "nil", "..", "NULL", "NaN", '"NA"', " NA "])
@pytest.mark.parametrize("places", [range(50), range(90, 100), range(0, 100, 2)])
def test_a_mark_for_a_missing_number_is_null(mark, places):
    cells = [mark if n in places else f" {n}.5 " for n in range(100)]
    document, parts = read("id,v\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate(cells)))
    rows = [json.loads(row) for row in decoded(document, parts)]
    assert [row["v"] for row in rows] == [None if n in places else n + 0.5 for n in range(100)]
    named = mark.strip('" ')
    assert document.notices == (f"In columns of numbers, {named} is null.",)


def test_marks_in_a_column_of_texts_stay_texts():
    rows = rows_in("id,v\n1,NA\n2,-\n3,x\n4,\n" + "5,y\n" * 30)
    assert [row["v"] for row in rows[:4]] == ["NA", "-", "x", None]


def test_a_header_that_comes_again_is_told():
    records = "".join(f"{n},n{n}\n" for n in range(200))
    document, parts = read("id,name\n" + records + "id,name\n" + records)
    assert len(parts) == 401
    assert document.notices == ("The header comes again 1 times, and is a row there.",)


def test_last_lines_with_too_few_fields_are_no_text_after():
    records = "".join(f"{n},n{n}\n" for n in range(400))
    reason = "record 401, in line 402, has 1 field, not 2"
    for ending in ("400\n401\n", "400", "Total: 400\n"):
        assert reason in read("id,name\n" + records + ending)[0].notices[0]
    document, parts = read("id,name\n" + records + "\nTotal: 400\n")
    assert len(parts) == 400
    assert document.frame.text_after == b"Total: 400\n"
    assert document.notices == ("The lines in text_after are not among the rows.",)


YEARS = "C{n},{n}7,{n}8\n"


@pytest.mark.parametrize(
    ("header", "row"), [("country,2022,2023", YEARS), ("2021,2022,2023", "{n}7,{n}8,{n}9\n")]
)
def test_years_in_turn_are_names(header, row):
    rows = rows_in(header + "\n" + "".join(row.format(n=n) for n in range(60)))
    assert len(rows) == 60
    assert [*rows[0]] == header.split(",")


def test_a_first_record_that_may_be_names_is_not_taken_for_a_record():
    """Sums would include a year."""
    document, _ = read("country,2020,2023\n" + "".join(YEARS.format(n=n) for n in range(60)))
    assert document.shape == "lines"
    assert "may be the names" in document.notices[0]


def test_a_header_with_too_few_names_is_told():
    """R writes tables so, with the names of rows in a column without a name."""
    text = "age,size\n" + "".join(f"row{n},{n},{n}.5\n" for n in range(60))
    assert "its first line has 2 fields, and the others 3" in read(text)[0].notices[0]


def test_lines_of_old_systems_are_told():
    text = numbered("id,level,note").replace("\n", "\r")
    assert "carriage returns alone" in read(text)[0].notices[0]
    assert read("one\rtwo\rthree\rfour")[0].notices == ()


def test_bars_around_a_table_are_not_between_fields():
    text = "| id | name |\n" + "".join(f"| {n} | n{n} |\n" for n in range(60))
    assert read(text)[0].shape == "lines"


def test_an_empty_cell_is_null_and_an_empty_text_is_in_quotes():
    rows = rows_in('id,name,price\n1,"",""\n2,,\n3,x,5\n')
    assert rows[0] == {"id": 1, "name": "", "price": None}
    assert rows[1] == {"id": 2, "name": None, "price": None}


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_those_of_the_csv_module(seed):
    """Python's csv module, written by others, reads the same cells."""
    chance = random.Random(seed)
    options = {
        "delimiter": chance.choice(",;\t|"),
        "quoting": chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
        "lineterminator": chance.choice(["\n", "\r\n"]),
    }
    words = ["a", "", "x y", "1", "007", "ü", "1.5", "none"]
    words += chance.choice([[], ['say "no"'], ["a,b;c"], ["two\nlines"], ['"', '""', "end\r\n"]])
    made = io.StringIO(newline="")
    writer = csv.writer(made, **options)
    writer.writerow(["id", "a", "b", "c"])
    for n in range(chance.choice([5, 150, 4_000])):
        writer.writerow([n, *(chance.choice(words) for _ in range(2)), n / 8])
    text = made.getvalue()
    own = [*csv.reader(io.StringIO(text, newline=""), delimiter=options["delimiter"])]
    rows = rows_in(text)
    assert len(rows) == len(own) - 1
    for cells, row in zip(own[1:], rows, strict=True):
        assert [row["id"], row["c"]] == [int(cells[0]), float(cells[3])]
        assert [row["a"] or "", row["b"] or ""] == cells[1:3]


def test_quotes_without_line_ends_keep_records_as_lines():
    document, parts = read(as_csv([{**row, "said": 'a "b", c'} for row in PLAIN]))
    assert document.joint == b"\n"
    assert len(parts) == len(PLAIN)
    assert read(as_csv([{**row, "said": "a\nb"} for row in PLAIN]))[0].joint == b""


# -- headers ---------------------------------------------------------------------------------------


HEADERS = [
    "time,temp%,note", "time,temp,note?", "1720 [YR1720],temp,note", "time,2020 EUR,2021 EUR", "#,time,note",
    "time,Q1/2020,Q2/2020", "time,1st value,2nd value", "id,2020-01-31,2020-02-29", 'time,"How many?",note',
    'Timestamp,"How satisfied are you with the service we offered you during your last visit (1-5)?",Comment',
    "Time [s],Temp [°C],Note", 'time,"temp, C",note', "t=0,temp:C,{x}", "<time>,<temp>,<note>", ",x,y",
]  # fmt: skip


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_above_numbers_may_be_anything_but_numbers(header):
    [names] = csv.reader([header])
    rows = rows_in(numbered(header))
    assert [*rows[0]] == [names[0] or "c1", *names[1:]]
    assert [*rows[0].values()] == [0, 0.5, "ok"]


@pytest.mark.parametrize("missing", ["..", "NA", "n/a", "-", ""])
def test_years_are_names(missing):
    years = ",".join(map(str, [1990, *range(2000, 2030)]))
    line = ",".join(["{n}.5", missing] * 15 + ["1"])
    rows = rows_in(numbered("Country," + years, row="L{n}," + line))
    assert [*rows[0]] == ["Country", *years.split(",")]


def test_the_file_of_the_world_bank():
    before = (
        '"Data Source","World Development Indicators",\n\n"Last Updated Date","2025-01-28",\n\n'
    )
    header = '"Country Name","Country Code","Indicator Name","1960","1961","1962",\n'
    lines = "".join(f'"Land {n}","L{n}","Population, total","{n}","","{n}.5",\n' for n in range(90))
    document, parts = read("\ufeff" + before + header + lines)
    rows = [json.loads(row) for row in decoded(document, parts)]
    assert rows[7] == {
        "Country Name": "Land 7", "Country Code": "L7", "Indicator Name": "Population, total",
        "1960": 7, "1961": "", "1962": 7.5, "c7": None,
    }  # fmt: skip


def test_a_header_of_words_alone():
    lines = "".join(f"p{n},Rome\n" for n in range(30))
    assert rows_in("name,city\n" + lines)[0] == {"name": "p0", "city": "Rome"}


def test_lines_without_the_separator_may_be_around_a_table():
    text = (
        "Prices\n# by us, today\n" + numbered("id,price,note") + "\nSource: the shop\n(60 rows)\n"
    )
    assert len(rows_in(text)) == 60
    assert read(text)[0].suffix == b"\n\nSource: the shop\n(60 rows)\n"


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n\r\n", "\n\n\n\n"])
@pytest.mark.parametrize("count", [2, 5, 300])
def test_empty_lines_may_be_at_the_end(end, count):
    assert len(rows_in(numbered("id,price,note", count).rstrip("\n") + end)) == count


# -- names -----------------------------------------------------------------------------------------


def test_names_are_different_in_sql_as_well():
    """SQL does not distinguish between ID and id."""
    rows = rows_in(table("ID,id,id_2,Id", (1, 2, 3, 4), (5, 6, 7, 8)))
    assert [*rows[0]] == ["ID", "id_3", "id_2", "Id_4"]


def test_half_a_surrogate_pair_in_a_name():
    document, _ = read(numbered("id,pr\ud800ice,note"))
    assert document.format == ""
    assert rows_in(numbered("id,price,note", row="{n},{n},\ud800"))[0]["note"] == "\ud800"


# -- texts that are no tables ----------------------------------------------------------------------


NOT_TABLES = {
    "pairs": "smith,john\nmiller,anna\njones,mary\n",
    "many pairs": "alice,london\n" + "bob,paris\n" * 400,
    "names": "".join(f"Miller{n}, John\n" for n in range(400)),
    "imports": "import os, sys, re\nfrom a import b, c, d\nfrom e import f, g, h\n" * 20,
    "verse": "Tyger Tyger, burning bright,\nIn the forests, of the night,\nWhat immortal hand, or eye,\n" * 9,
    "lists": "Roses, violets, and tulips\nApples, pears, and plums\nCats, dogs, and birds.\n" * 9,
    "usage": "usage: cmd [a|b|c]\nother: cmd [d|e|f]\nthird: cmd [g|h|i]\n" * 9,
    "makefile": "all:\n\tgcc a.c\n\tgcc b.c\n\tgcc c.c\n" * 9,
    "tabs": "\tfoo()\n\tbar()\n\treturn x\n" * 20,
    "grep": "src/a.py:12:\tfoo = 1\nsrc/b.py:3:\tbar = 2\nsrc/c.py:9:\tbaz = 3\n" * 9,
    "calls": "x = foo(a, b)\ny = bar(c, d)\nz = baz(e, f)\n" * 9,
    "sql": "INSERT INTO t VALUES (1, 'a', 'b');\nINSERT INTO t VALUES (2, 'c', 'd');\n" * 20,
    "syslog": "Jan 5 host sshd: Failed, user root, port 22\nJan 5 host sshd: Failed, user bob, port 23\n" * 20,
    "c array": "static const int a[] = {\n" + "    1, 2, 3, 4,\n    5, 6, 7, 8,\n" * 20 + "};\n",
    "tuples": "WIDTHS = [\n" + "    (1, 31, -1),\n    (127, 159, -1),\n" * 30 + "]\n",
    "defines": "#ifndef A_H\n#define A_H\n\n" + "".join(f"#define X{n}\t\t{n}\n" for n in range(30)) + "#endif\n",
    "letter": "Dear Ann, hello\nI paid, 5\nI owe, 6\nSee you, Bob\n",
    "file list": "".join(f"a/b{n}.py,sha256=x{n},{n + 1900}\n" for n in range(2)) + "RECORD,,\n",
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_TABLES)
def test_prose_and_code_stay_lines_without_a_notice(name):
    document, _ = read(NOT_TABLES[name])
    assert (document.format, document.notices) == ("", ())


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("place", ["note", "3.5,", "400.5"])
def test_a_carriage_return_inside_a_line_may_be_the_end_of_one(place, quote):
    """The csv module and spreadsheets read two records there."""
    text = numbered(f"id,{quote}price{quote},note", 500)
    assert place in text
    document, _ = read(text.replace(place, "\r" + place))
    assert document.shape == "lines"


# -- near misses -----------------------------------------------------------------------------------


def ragged(bad, at, count=3_000):
    lines = [f"{n},n{n},{n}" for n in range(count)]
    lines[at] = bad
    return "id,name,val\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("at", [1, 5, 25, 1_777, 2_999])
def test_a_ragged_table_is_told(at):
    """No good record is taken for text before the table."""
    document, parts = read(ragged("1777,n1777", at, 3_000))
    assert document.shape == "lines"
    assert len(parts) == 3_002
    told = f"record {at + 1}, in line {at + 2}, has 2 fields, not 3"
    assert document.notices == (f"The text looks like csv, but {told}. So its rows are lines.",)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("", "line 2002, after record 2000, is empty"),
        ('2000,"open,3', "a quote in line 2002 is not closed, or is inside a field"),
        ('2000,"x"y,3', "a quote in line 2002 is not closed, or is inside a field"),
        ("2000", "record 2001, in line 2002, has 1 field, not 3"),
        ("2000,x\ry,3", "line 2002 has a carriage return in it"),
    ],
)
def test_the_reason_names_the_place(bad, told):
    [notice] = read(ragged(bad, 2_000))[0].notices
    assert told in notice


# -- time ------------------------------------------------------------------------------------------


def took(text):
    """Return the least seconds of three runs."""
    runs = []
    for _ in range(3):
        start = process_time()
        read_text_with_data(text)
        runs.append(process_time() - start)
    return min(runs)


GROWING = {
    "rules": lambda n: "a|b\n" + "-" * n + "x\n1|2\n",
    "twins": lambda n: ",".join("a" * n) + "\n" + (",".join("1" * n) + "\n") * 3,
    "ragged at the end": lambda n: ragged("1", n // 10, n // 10 + 1),
    "open quotes": lambda n: "a,b,c\n" + "1,2,3\n" * (n // 10) + '1,"2,3\n' * (n // 10),
    "quotes": lambda n: '"a","b"\n' + '"x""y","1"\n' * (n // 10),
    "empty lines": lambda n: "a,b\n1,2\n3,4\n" + "\n" * n,
    "many columns": lambda n: (",".join(["7"] * (n // 10)) + "\n") * 10,
}


@pytest.mark.parametrize("name", GROWING)
def test_twice_the_text_takes_twice_the_time(name):
    """In quadratic time, eight times the text would take 64 times as long."""
    small, large = (took(GROWING[name](n)) for n in (25_000, 200_000))
    assert large < 30 * small + 0.05
