"""The whole of a stored result as text, JSON and CSV: the exact value, chunk by chunk."""

import csv
import io
import json

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock import Call, Gate, Policy
from penstock.cli.stored.export import WRITERS
from penstock.cli.stored.part import PartRequest, part_of
from penstock.core.model.values import Refusal
from penstock.stores.memory import MemoryStore

FILLER = "many words to make the result large. " * 200


def written(gate, focus, form):
    pieces = WRITERS[form](gate, focus)
    return pieces if isinstance(pieces, Refusal) else b"".join(pieces)


def rows_of(table):
    return list(csv.reader(io.StringIO(table.decode("utf-8", "surrogatepass"), newline="")))


# -- json and text -----------------------------------------------------------------------------

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(value=st.lists(VALUES) | st.dictionaries(st.text(st.characters(codec="utf-8")), VALUES))
def test_json_is_the_value(gate, part, value):
    focus = part({"filler": FILLER, "value": value}, "/value")
    if not focus.has_text_blocks:
        assert json.loads(written(gate, focus, "json")) == value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    text=st.text(
        st.characters(codec="utf-8") | st.sampled_from('",;\n\r\t\0\\|`{}[]:'), max_size=300
    )
)
def test_text_is_the_text_to_the_byte(gate, part, text):
    focus = part(FILLER + text)
    assert written(gate, focus, "text") == (FILLER + text).encode()
    if focus.shape == "lines":
        assert json.loads(written(gate, focus, "json")) == FILLER + text


@pytest.mark.parametrize(
    "text",
    [
        "id,name\r\n" + "".join(f'{n},"a ""{n}"""\r\n' for n in range(2_000)),
        json.dumps([{"id": n, "x": n / 7} for n in range(2_000)], indent=2) + "\n",
        "Here it is:\n\n```json\n" + json.dumps([{"id": n} for n in range(2_000)]) + "\n```\nDone.",
        "".join(json.dumps({"id": n}) + "\n" for n in range(2_000)),
        "\n".join(f"line {n}" for n in range(20_000)),
        "half \ud800 pair\n" * 2_000,
    ],
)
def test_a_text_of_any_format_is_the_text_to_the_byte(gate, part, text):
    assert written(gate, part(text), "text") == text.encode("utf-8", "surrogatepass")


def test_the_data_in_a_text_is_json_and_csv(gate, part):
    focus = part("id;name\n" + "".join(f"{n};näme {n}\n" for n in range(2_000)))
    expected = [{"id": n, "name": f"näme {n}"} for n in range(2_000)]
    assert [
        {"id": int(row["id"]), "name": row["name"]}
        for row in json.loads(written(gate, focus, "json"))
    ] == expected
    header, *rows = rows_of(written(gate, focus, "csv"))
    assert header == ["id", "name"]
    assert rows == [[str(n), f"näme {n}"] for n in range(2_000)]


def test_numbers_are_not_rounded(gate, part):
    raw = b'[{"a":1.10,"b":123456789012345678901234567890,"c":1e400,"d":-0.0}]'
    focus = part(msgspec.Raw(b'{"filler":"' + FILLER.encode() + b'","rows":' + raw + b"}"), "/rows")
    assert written(gate, focus, "json") == raw + b"\n"
    assert rows_of(written(gate, focus, "csv"))[1] == [
        "1.10", "123456789012345678901234567890", "1e400", "-0.0"
    ]  # fmt: skip


def test_a_value_is_no_text(gate, part):
    refusal = written(gate, part([{"filler": FILLER}] * 3), "text")
    assert refusal == Refusal("The result is no text, but a value.", "Use --format json.")


def test_each_chunk_is_read_alone():
    """A result may be larger than memory."""

    class Chunkwise(MemoryStore):
        def read(self, key, numbers):
            assert len(numbers) == 1
            reads.append(*numbers)
            return super().read(key, numbers)

    reads: list[int] = []
    value = [{"id": n, "text": f"{n} " * 50} for n in range(20_000)]
    with Gate(store=Chunkwise()) as gate:
        gate.offer(Call("tool"), value)
        (entry,) = gate.store.entries(None, now=gate.clock())
        focus = gate.finish(part_of(entry.key, PartRequest(), gate.context()))
        assert json.loads(written(gate, focus, "json")) == value
        count = len(reads)
        assert count > 50
        assert reads == sorted({*reads})
        table = rows_of(written(gate, focus, "csv"))
    assert len(reads) == 3 * count
    assert table == [["id", "text"], *([str(row["id"]), row["text"]] for row in value)]


# -- csv ---------------------------------------------------------------------------------------


def cell(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


CELLS = (
    st.none() | st.booleans() | st.integers(-(2**60), 2**60)
    | st.text(st.characters(codec="utf-8") | st.sampled_from('",;\n\r\t\\=+'))
    | st.lists(st.integers(0, 9)) | st.dictionaries(st.sampled_from("xyz"), st.integers(0, 9))
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    rows=st.lists(
        st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), CELLS, min_size=1),
        min_size=1,
    )
)
def test_a_table_has_every_cell_of_every_row(gate, part, rows):
    focus = part({"filler": FILLER, "rows": rows}, "/rows")
    header, *found = rows_of(written(gate, focus, "csv"))
    assert header == list(dict.fromkeys(name for row in rows for name in row))
    assert found == [[cell(row.get(name)) for name in header] for row in rows]


def test_columns_that_only_the_last_row_has(gate, part):
    rows = [{"id": n, "text": "words " * 20} for n in range(5_000)]
    focus = part([*rows, {"id": -1, "late": [1, None]}])
    header, *found = rows_of(written(gate, focus, "csv"))
    assert header == ["id", "text", "late"]
    assert found[-1] == ["-1", "", "[1,null]"]
    assert len(found) == 5_001


@pytest.mark.parametrize(
    ("value", "table"),
    [
        ([[1, "a,b"], [2, None, {"x": 1}]], [["1", "a,b"], ["2", "", '{"x":1}']]),
        ([1, "two", None], [["value"], ["1"], ["two"], [""]]),
        ([{"a": 1}, [2]], [["value"], ['{"a":1}'], ["[2]"]]),
        ([{}, {}], [["value"], ["{}"], ["{}"]]),
        ([], [["value"]]),
        (
            {"k1": {"a": 1, "key": 2}, "k,2": {"a": 3, "key": 4}, "k3": {"a": 5, "key": 6}},
            [["_key", "a", "key"], ["k1", "1", "2"], ["k,2", "3", "4"], ["k3", "5", "6"]],
        ),
    ],
)
def test_rows_of_every_kind(gate, part, value, table):
    focus = part({"filler": FILLER, "value": value}, "/value")
    assert rows_of(written(gate, focus, "csv")) == table


def test_lines_end_as_rfc_4180_says(gate, part):
    focus = part({"filler": FILLER, "rows": [{"a": "1\n2", "b": 'say "hi"'}]}, "/rows")
    assert written(gate, focus, "csv") == b'a,b\r\n"1\n2","say ""hi"""\r\n'


@pytest.mark.parametrize(
    ("value", "path", "step"),
    [
        (FILLER + "\nwords", "", "Use --format text."),
        ({"filler": FILLER, "number": 5}, "/number", "Use --format json."),
        ({"filler": FILLER, "number": 5}, "", "Use --format json."),
        (
            {"a": {"in/1": [{"x": 1}], "in2": [{"y": 2}]}, "filler": FILLER},
            "/a",
            "Name one: --path /a/in~11, --path /a/in2.",
        ),
    ],
)
def test_a_value_without_rows_is_no_table(gate, part, value, path, step):
    refusal = written(gate, part(value, path), "csv")
    assert isinstance(refusal, Refusal)
    assert refusal.next_step == step


# -- answers -----------------------------------------------------------------------------------

ROWS = [{"id": n, "city": ("Lyon", "Ede")[n % 2]} for n in range(2_000)]


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("sql", "SELECT city, count(*) AS n FROM result GROUP BY 1 ORDER BY 1",
         [{"city": "Ede", "n": 1_000}, {"city": "Lyon", "n": 1_000}]),
        ("jq", "[.[] | select(.id < 2)]", ROWS[:2]),
        ("jq", "length", 2_000),
    ],
)  # fmt: skip
def test_an_answer_is_written_and_not_stored(gate, part, language, question, expected):
    focus = part(ROWS, "", language, question)
    assert json.loads(written(gate, focus, "json")) == expected
    assert gate.store.stats().entries == 1


def test_a_search_finds_rows(gate, part):
    focus = part(ROWS, "", "search", "1999")
    (hit,) = json.loads(written(gate, focus, "json"))
    assert "1999" in json.dumps(hit)


def test_a_wrong_statement_is_refused(part):
    assert isinstance(part(ROWS, "", "sql", "SELECT nothing FROM result"), Refusal)


def test_an_answer_that_was_cut_says_so():
    with Gate(Policy(query_rows=100)) as gate:
        gate.offer(Call("tool", heavy=True), ROWS)
        (entry,) = gate.store.entries(None, now=gate.clock())
        asked = PartRequest("", "sql", "SELECT id FROM result")
        focus = gate.finish(part_of(entry.key, asked, gate.context()))
        (notice,) = focus.notices
        assert notice.startswith("The answer has more rows; these are the first 100.")
        assert [row["id"] for row in json.loads(written(gate, focus, "json"))] == list(range(100))
