"""YAML: whenever a text is recognised, PyYAML reads the same, and prose is never recognised."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from yaml_oracle import IN_C, constructed

from penstock import Result
from penstock.core.json import rawjson
from penstock.core.results import formats
from penstock.core.results.document import read_text_with_data
from penstock.core.results.formats import NearMiss, TextCut
from penstock.core.results.formats.yaml.format import LARGEST
from penstock.errors import how_to_install

HOSTS = "".join(f"- host: node-{n}\n  cores: {n}\n  role: web\n" for n in range(60))
COMPOSE = """\
x-common: &common
  restart: always
  env: {LEVEL: info}
services:
  web:
    <<: *common
    image: web:1.10
    ports: ["80:80"]
  db:
    <<: [*common, {image: postgres, restart: never}]
    restart: "no"
"""
PODS = "".join(
    f"---\n# Source: pod {n}\napiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-{n}\n"
    for n in range(5)
)


def recognised(text):
    """Return the cut of a text that is YAML, or None."""
    found = formats.recognise(rawjson.utf8(text))
    is_yaml = found is not None and found.name == "yaml" and isinstance(found.cut, TextCut)
    return found.cut if is_yaml else None


def near_miss(text):
    found = formats.recognise(rawjson.utf8(text))
    assert found is not None
    assert isinstance(found.cut, NearMiss)
    assert found.name == "yaml"
    return found.cut.reason


def value_of(cut, text):
    """Return the value that the rows show. Each row is also decoded alone."""
    parts = [row for block in cut.blocks for row in block]
    assert rawjson.text(cut.prefix + cut.joint.join(parts) + cut.suffix) == text
    rows = formats.decoded("yaml", parts, cut.reading)
    assert rows == [row for part in parts for row in formats.decoded("yaml", [part], cut.reading)]
    assert rows[::-1] == formats.decoded("yaml", parts[::-1], cut.reading)
    frame = formats.frame_of("yaml", cut.prefix, cut.suffix, cut.reading)
    return json.loads(rawjson.text(frame.prefix + b",".join(rows) + frame.suffix))


def read(text):
    cut = recognised(text)
    assert cut is not None, formats.recognise(rawjson.utf8(text))
    return value_of(cut, text)


# -- material of others ----------------------------------------------------------------------------

NODE = Path(__file__).parents[3] / "node" / "node_modules"
FOLDERS = [Path(sysconfig.get_path("purelib")), NODE]
FILES = sorted(path for folder in FOLDERS for path in folder.rglob("*.y*ml") if path.is_file())


def test_files_of_packages_are_read_as_pyyaml_reads_them():
    """The files that are not recognised are a few short ones without nesting."""
    left_out = []
    for path in FILES:
        text = path.read_text("utf-8")
        cut = recognised(text)
        if cut is None:
            left_out.append(text)
        else:
            assert value_of(cut, text) == constructed(text), path
    assert len(FILES) - len(left_out) >= 10
    assert all(len(text) < 2_000 for text in left_out)


DOCUMENTATION = (".md", ".rst", ".txt", ".toml", ".cfg", ".ini", ".css", ".csv", ".py", ".js")


def test_other_files_of_packages_are_not_yaml():
    paths = [
        path
        for folder in FOLDERS
        for path in folder.rglob("*")
        if path.suffix in DOCUMENTATION or path.name in ("METADATA", "LICENSE", "RECORD")
    ]
    for path in random.Random(1).sample(sorted(paths), min(len(paths), 600)):
        data = path.read_bytes()[:200_000]
        found = formats.FORMATS["yaml"].recognise(data)
        assert found is None, path


# -- values of any kind ----------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t:#-'\" "))
HARD = st.sampled_from([
    "yes", "NO", "on", "~", "null", "012", "1_000", "0x1F", "12:30", "2026-01-02", "1e5", ".5", "5.", "+1", "-0",
    "1e999", ".inf", "-.INF", ".nan", "<<", "=", "a: b", "a #1", "- x", "{", "*x", "&x", "!x", "%x", "", " ", "a\n\nb\n",
])  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS | HARD
    | st.dates()
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS | HARD, inner, max_size=4),
    max_leaves=6,
)
WORDS = st.text("abcxyz_-", min_size=1, max_size=6).map("k{}".format)
RECORDS = st.lists(st.dictionaries(WORDS, VALUES, min_size=2, max_size=5), min_size=1, max_size=5)
DICTS = st.builds(
    lambda some, key, nested: {**some, key: nested},
    st.dictionaries(WORDS, VALUES, max_size=4),
    WORDS,
    RECORDS | st.dictionaries(WORDS, VALUES, min_size=1),
)
STYLES = st.fixed_dictionaries({
    "default_flow_style": st.sampled_from([False, None]),
    "allow_unicode": st.booleans(),
    "indent": st.sampled_from([2, 4]),
    "width": st.sampled_from([40, 4_000]),
    "explicit_start": st.booleans(),
    "default_style": st.sampled_from([None, None, '"', "|"]),
    "line_break": st.sampled_from(["\n", "\r\n"]),
})  # fmt: skip


@given(RECORDS | DICTS, STYLES)
@example([{"a": "x\n\n", "b": "y\n"}, {"a": 1, "b": " z"}], {"default_style": "|"})
@example({"a": {"b": 1}, "c": ["é", "ü"], "d": "ß"}, {"allow_unicode": True})
def test_a_dumped_value_is_the_value_that_pyyaml_loads(value, style):
    text = yaml.safe_dump(value, sort_keys=False, **style)
    cut = recognised(text)
    if cut is not None:
        assert value_of(cut, text) == constructed(text)
    elif style.get("default_style") is None and "\x85" not in text and text.isascii():
        found = formats.recognise(text.encode())
        assert found is not None or not _nests_in_blocks(text), text


def _nests_in_blocks(text):
    """Return whether a dump has a nested value that is not in brackets."""
    loaded = yaml.safe_load(text)
    values = loaded if isinstance(loaded, list) else loaded.values()
    return isinstance(loaded, dict) and any(
        isinstance(value, dict) and value and any(isinstance(one, dict | list) for one in value.values())
        for value in values
    )  # fmt: skip


BITS = [*" \n\t:-#'\"[]{},&*!|>?%@`\0\r\x85", "\n- ", ": ", "---\n", "...\n", "&a ", "*a", "<<: ", "!t ", "\n\n", "é", "\ud800", "\ufeff"]  # fmt: skip


@given(
    (RECORDS | DICTS).map(lambda value: yaml.safe_dump(value, sort_keys=False, allow_unicode=True)),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 3), st.sampled_from(BITS)), max_size=4),
)
def test_a_damaged_text_is_read_as_pyyaml_reads_it_or_not_at_all(text, damages):
    for place, without, put_in in damages:
        at = place % (len(text) + 1)
        text = text[:at] + put_in + text[at + without :]
    cut = recognised(text)
    if cut is None:
        return
    value = value_of(cut, text)
    with suppress(yaml.constructor.ConstructorError):  # `<<` with a text, which is a member here
        assert value == constructed(text, IN_C)


# -- shapes ----------------------------------------------------------------------------------------


def test_the_items_of_a_list_are_rows():
    cut = recognised(HOSTS)
    assert (cut.shape, cut.list_path) == ("rows", "")
    assert value_of(cut, HOSTS)[7] == {"host": "node-7", "cores": 7, "role": "web"}


@pytest.mark.parametrize("indent", ["", "  "])
def test_the_one_list_of_a_dict_is_rows(indent):
    """kubectl writes a list of resources like this."""
    items = "".join(f"{indent}- kind: Pod\n{indent}  n: {n}\n" for n in range(3))
    text = f"apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: ''\n"
    cut = recognised(text)
    assert (cut.shape, cut.list_path) == ("rows", "/items")
    assert value_of(cut, text) == constructed(text)
    assert len(constructed(text)["items"]) == 3


def test_a_list_in_brackets_is_rows_too():
    text = "meta: {a: 1}\nrows: [{a: 1, b: [x, y]}, # one\n  {a: 2},\n  é, ]\nlast:\n  b: c\n"
    cut = recognised(text)
    assert (cut.shape, cut.list_path) == ("rows", "/rows")
    assert value_of(cut, text)["rows"] == [{"a": 1, "b": ["x", "y"]}, {"a": 2}, "é"]
    empty = "rows: []\nlast:\n  b: c\n"
    assert value_of(recognised(empty), empty) == {"rows": [], "last": {"b": "c"}}


def test_other_dicts_are_members():
    assert recognised(COMPOSE).shape == "members"
    text = "a:\n  x: 1\nb:\n- {y: 1, z: 2}\nc:\n- 3\n"
    cut = recognised(text)
    assert cut.shape == "members"
    assert value_of(cut, text) == constructed(text)
    large = f"note: {'x' * 9_000}\nrows:\n- a: 1\n  b: 2\n"
    assert recognised(large).shape == "members"


def test_documents_are_rows():
    cut = recognised(PODS)
    assert cut.shape == "rows"
    assert [row["metadata"]["name"] for row in value_of(cut, PODS)] == [
        f"pod-{n}" for n in range(5)
    ]
    text = "%YAML 1.2\n---\na: 1\nb: {c: 1}\nc:\n  d: e\n...\n%YAML 1.2\n---\na: 2\n...\n"
    assert read(text) == [{"a": 1, "b": {"c": 1}, "c": {"d": "e"}}, {"a": 2}]


def test_empty_documents_are_told():
    text = PODS.replace("---\n# Source: pod 2", "---\n# nothing\n---\n# Source: pod 2")
    cut = recognised("# by helm\n---\n" + text)
    assert cut.notices == ("2 empty documents are not among the rows.",)
    assert len(value_of(cut, "# by helm\n---\n" + text)) == 5
    alone = "a:\n  b: 1\n---\n"
    assert read(alone) == {"a": {"b": 1}}


def test_comments_stay_in_the_text_and_are_told():
    text = f"# All hosts\n# of today\n---\n# first\n{HOSTS}\n# … and 200 more\n"
    cut = recognised(text)
    assert value_of(cut, text) == constructed(HOSTS)
    frame = formats.frame_of("yaml", cut.prefix, cut.suffix, cut.reading)
    assert frame.text_before == b"# All hosts\n# of today"
    assert frame.text_after == "# … and 200 more".encode()


@pytest.mark.parametrize(
    "text",
    [
        "a: |\n  one\n\n# no part\nb:\n- {x: 1, y: 2}\n",
        "a: |+\n  one\n\n# no part\n",
        "- a: 1\n  b: |\n    no newline at the end",
        "- a: 1\n  b: |-\n    x\n-\n  # dash alone\n  a: 2\n  b: y\n-   a: 3\n    b: z\n",
        "- &x\n  a: 1\n  b: 2\n- !!map\n  a: 2\n  b: *x\n",
        "rows: &all !!seq\n# first\n- a: 1\n  b: 2\n- a: 2\n  b: 3\n",
        "--- !thing\na:\n  b: 1\nc: 2\n",
        "a:\n  x: 1\n? b\n: y: 1\n? c\n: - d: 1\n    e: 2\n",
        "a: >-\n  folded\n  text\n\n  more\nb:\n  'quoted': \"esc\\u00e9\\n\"\n  ? [1, {x: y}]\n  : 2\n",
        "- a: \"over\n- lines\"\n  b: 1\n- a: 'x'\n  b: 2\n",
        "a:\r\n  b: 1\r\n  c: |\r\n    x\r\n    y\r\nd:\r\n- 1\r\n",
        "  a:\n    b: 1\n",
    ],
)
def test_the_ways_to_write_yaml(text):
    cut = recognised(text)
    assert cut is not None or text.startswith(" ")  # a text that is indented is left alone
    if cut is not None:
        assert value_of(cut, text) == constructed(text)


def test_a_row_may_hold_the_sign_of_a_row():
    text = '- a: "over\n- lines"\n  b: 1\n- a: |\n   - x\n   - y\n  b: 2\n'
    assert [row["a"] for row in read(text)] == ["over - lines", "- x\n- y\n"]


# -- scalars, keys and tags ------------------------------------------------------------------------

SCALARS_OF_1_2 = {
    "true": True, "False": False, "null": None, "~": None, "": None, "12": 12, "-3": -3, "1.50": 1.5, "1e3": 1000.0,
    ".5": 0.5, "5.": 5.0, "yes": "yes", "NO": "NO", "off": "off", "012": "012", "1_000": "1_000", "12:30": "12:30",
    "+49": "+49", "0x1F": "0x1F", "0o17": "0o17", "2026-01-02": "2026-01-02", "1e999": "1e999", "'12'": "12",
    "!!str 12": "12", "! 12": "12", "!!int '12'": 12, "1.2.3": "1.2.3", "12345678901234567890123": 12345678901234567890123,
    ".": ".", "-": None, "-.": "-.", "=": "=", "nullx": "nullx",
}  # fmt: skip


def test_scalars_are_those_of_yaml_1_2_that_lose_nothing():
    cells = {text: want for text, want in SCALARS_OF_1_2.items() if text != "-"}
    text = "a:\n" + "".join(f"  k{n}: {cell}\n" for n, cell in enumerate(cells))
    assert [*read(text)["a"].values()] == [*cells.values()]


def test_numbers_keep_their_digits():
    cut = recognised("a:\n  b: 1.10\n  c: 12345678901234567890123\n")
    rows = [row for block in cut.blocks for row in block]
    assert formats.decoded("yaml", rows, cut.reading) == [
        b'"a":{"b":1.10,"c":12345678901234567890123}'
    ]


def test_numbers_that_are_not_finite_become_null_and_are_told():
    text = "a:\n  b: .nan\n  c: -.INF\n  d: '.inf'\n  .inf: e.nan\n"
    cut = recognised(text)
    assert cut.notices == ("2 NaN or infinite numbers are shown as null.",)
    assert value_of(cut, text) == {"a": {"b": None, "c": None, "d": ".inf", ".inf": "e.nan"}}


def test_keys_are_texts_and_duplicates_are_kept():
    text = "a:\n  1: x\n  true: y\n  ~: z\n  1.0: v\n  b: 1\n  b: 2\n"
    cut = recognised(text)
    rows = [row for block in cut.blocks for row in block]
    assert formats.decoded("yaml", rows, cut.reading) == [
        b'"a":{"1":"x","true":"y","null":"z","1.0":"v","b":1,"b":2}'
    ]


def test_tags_run_nothing_and_are_told():
    text = "- a: !!python/object/apply:os.system [exit 1]\n  b: !Ref x\n- a: !!binary aGk=\n  b: !!set {c, d}\n"
    cut = recognised(text)
    assert value_of(cut, text) == [
        {"a": ["exit 1"], "b": "x"},
        {"a": "aGk=", "b": {"c": None, "d": None}},
    ]
    assert cut.notices == (
        "Rows do not show the tags of 4 values: !!python/object/apply:os.system, !Ref, !!binary, !!set.",
    )
    assert near_miss("%TAG ! tag:me:\n---\na:\n  b: !x 1\n") == "it declares tags"


# -- anchors ---------------------------------------------------------------------------------------


def test_rows_know_the_anchors_of_other_rows():
    assert read(COMPOSE)["services"] == {
        "web": {"restart": "always", "env": {"LEVEL": "info"}, "image": "web:1.10", "ports": ["80:80"]},
        "db": {"env": {"LEVEL": "info"}, "image": "postgres", "restart": "no"},
    }  # fmt: skip
    assert read(COMPOSE) == constructed(COMPOSE)
    text = "base: &b {x: 1}\nrows:\n- a: *b\n  c: &c d\n- a: *c\n  c: *b\nlast:\n  z: *c\n"
    assert read(text) == constructed(text)
    assert len(recognised(text).reading) < 200


@pytest.mark.parametrize(
    "merge",
    [
        "<<: {x: 1, y: 2}", "<<: [{x: 1}, {x: 2, y: 3}]", "<<: []", "<<: {x: 1}\n  <<: {x: 2, z: 3}", "'<<': {x: 1}",
        "y: 1\n  <<: {y: 2, '<<': 3}", "<<: {<<: {x: 1}, y: 2}", "x: [<<]",
    ],
)  # fmt: skip
def test_merges_are_those_of_pyyaml(merge):
    text = f"a:\n  y: 0\n  {merge}\n"
    assert read(text) == constructed(text)


def test_a_merge_of_something_else_is_a_member():
    assert read("a:\n  <<: text\n  b: 1\n") == {"a": {"<<": "text", "b": 1}}
    assert read("a:\n  <<: [1]\n  b: 1\n") == {"a": {"<<": [1], "b": 1}}


def test_an_anchor_that_each_row_sets_for_itself():
    text = "".join(f"- a: &x {n}\n  b: *x\n" for n in range(5))
    assert read(text) == [{"a": n, "b": n} for n in range(5)]
    again = text + "- a: *x\n  b: 1\n"
    assert near_miss(again) == "the anchor &x, which several rows use, is set more than once"


def test_anchors_that_cannot_be_read_say_so():
    assert near_miss("a:\n  b: *c\n") == "line 2 has the alias *c, and no value &c ends before it"
    assert near_miss("a: &a\n  b: *a\n").startswith("line 2 has the alias *a")
    assert near_miss("x: &x {a: 1}\n<<: *x\ny:\n  b: 1\n") == (
        "it merges values into its top level (<<)"
    )
    large = f"x: &x {{a: {'y' * 20_000}}}\nb:\n  c: *x\n"
    assert near_miss(large) == "its rows share values of 20,008 bytes, and at most 16,000 are kept"


def bomb(levels):
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "x:\n  y: 1\n" + "\n".join(lines) + "\n"


def test_a_bomb_is_refused_at_once():
    assert near_miss(bomb(12)).startswith("its aliases stand for more than 5,000,000 bytes")
    nested = "a: &a {k: [1]}\nb:\n" + "".join(
        f"  k{n}: &k{n} {{<<: *{f'k{n - 1}' if n else 'a'}, z{n}: [*{f'k{n - 1}' if n else 'a'}, *{f'k{n - 1}' if n else 'a'}]}}\n"
        for n in range(40)
    )
    assert "aliases stand for" in near_miss(nested)


def test_aliases_may_not_nest_too_deep():
    lines = ["x: &k0 [1]"] + [f"k{n}: &k{n} [[[[*k{n - 1}]]]]" for n in range(1, 40)]
    assert (
        near_miss("y:\n  z: 1\n" + "\n".join(lines) + "\n") == "it is nested deeper than 128 levels"
    )


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_deep_nesting_is_told(depth):
    assert (
        near_miss("a:\n  b: " + "[" * depth + "]" * depth) == "it is nested deeper than 128 levels"
    )
    assert near_miss("a:\n  b:\n   " + "- " * depth) == "it is nested deeper than 128 levels"


def test_a_text_that_breaks_names_the_line():
    prose = HOSTS + "That was all.\nThank you for reading: it took long.\n"
    assert near_miss(prose).startswith("line 18")
    assert near_miss(HOSTS + "- host: 'cut off\n").startswith("line 182 is not YAML")
    assert near_miss(HOSTS.replace("  cores: 40", "\tcores: 40")).startswith("line 122 is not YAML")
    assert near_miss(HOSTS + "- host: \x07\n  cores: 1\n") == (
        "line 181 is not YAML (control characters are not allowed)"
    )
    assert near_miss(HOSTS + "- host: a\u2028b\n  cores: 1\n").startswith("it has characters that")
    assert near_miss(HOSTS + "- title: Mend bug #12\n  cores: 1\n") == (
        "line 181 goes on with #12, which YAML takes for a comment"
    )
    assert read(HOSTS + "- host: 'Mend #12'\n  cores: |\n    bug #13\n")[-1]["cores"] == "bug #13\n"


def test_a_large_text_says_so():
    text = HOSTS * (LARGEST // len(HOSTS) * 5)
    assert near_miss(text) == f"it has {len(text):,} bytes, and at most {LARGEST:,} are read"


UNITS = (
    "- ", "a: ", "a:\n", "? ", "[", "{a: ", "a: b\n", "- a: 1\n", "- a: 1\n  b: '\n", "- a: [\n  b: 1\n", "# c\n",
    "---\n", "---\na:\n  b: 1\n", "- a: &x 1\n  b: *x\n", "a:\n  b: |\n", 'a:\n b: "\n', "- a: 1\n  b: c #1\n", "\n", " \n",
    "- a: 1\n  b: !t 1\n", "a:\n  <<: {c: 1}\n",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_text_that_begins_like_yaml_again_and_again_ends(unit):
    """In time that is not linear, this would take minutes."""
    text = unit * (300_000 // len(unit))
    cut = recognised(text)
    if cut is not None:
        rows = [row for block in cut.blocks for row in block]
        assert len(formats.decoded("yaml", rows, cut.reading)) == len(rows)


# -- texts that only resemble YAML -----------------------------------------------------------------

NOT_YAML = {
    "a sentence": "Note: this is text\n",
    "sentences": "Note: this is text.\nWarning: so is this.\nIt goes on here.\n" * 20,
    "a list of points": "- first\n- second\n- third: with a colon\n" * 20,
    "points with labels": "- Fixed: the thing\n- Added: another thing\n" * 20,
    "sections of points": "Ingredients:\n- flour\n- sugar\nSteps:\n- mix\n- bake\n" * 20,
    "HTTP headers": 'Content-Type: text/html\nETag: "abc"\nContent-Length: 12\nSet-Cookie: a=b\n' * 20,
    "mail": "From: a@b.c\nTo: d@e.f\nSubject: Re: your text\n\nDear Ann,\n\nThank you.\n" * 5,
    "log": "ERROR: it failed\nINFO: it runs\nWARN: slow\n" * 30,
    "log with times": "2026-01-02T12:00:00 INFO: started\n  at: here\n" * 30,
    "traceback": 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: bad\n' * 9,
    "ini": "[section]\nkey: value\nother = 2\n" * 20,
    "a talk": "Ann: hello there\nBob: hi\n  how are you?\nAnn: fine\n" * 20,
    "front matter": "---\ntitle: A page\ntags: [a, b]\n---\n\n# A page\n\nSome text here.\n" * 1,
    "front matter alone": "---\ntitle: A page\ndate: 2026-01-02\nlayout: x\n---\n",
    "front matter and points": "---\ntitle: A page\nmenu:\n  main: x\n---\n# A page\n\n- one\n- two\n",
    "front matter and a note": "---\ntitle: A page\nmenu:\n  main: x\n---\n\nNote: this is text\n",
    "rules in Markdown": "# Title\n\ntext\n\n---\n\nNote: more\n\n---\n" * 5,
    "code": "class A:\n    def f(self):\n        return 1\n\ntry:\n    f()\nexcept:\n    g()\n" * 5,
    "a makefile": "all: build test\n\nbuild:\n\tcc -o a a.c\n\ntest:\n\t./a\n" * 5,
    "a feature": "Feature: x\n  Scenario: y\n    Given z\n    When w\n" * 5,
    "brackets": "{name: x, values: [1, 2]}\n" * 1,
    "pip show": "Name: a\nVersion: 1.10\nRequires: b, c\n---\nName: b\nVersion: 2\nRequires:\n" * 5,
    "kubectl describe": (
        "Name:             web-1\nNamespace:        default\nStart Time:       Mon, 01 Jan 2026 10:00:00 +0000\n"
        "Labels:           app=web\n                  tier=front\nContainers:\n  web:\n    Image:  nginx\n"
        "    Ports:  80/TCP\nEvents:  <none>\n"
    ),
    "git": "commit 1234\nAuthor: A <a@b>\nDate:   Mon\n\n    Subject: x\n\n" * 10,
    "hrule": "- - -\n\nText: here\n",
    "csv": "a: 1,b: 2\n" * 30,
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_YAML)
def test_a_text_that_only_resembles_yaml_is_not(name):
    found = formats.recognise(NOT_YAML[name].encode())
    assert found is None or found.name != "yaml", found


def test_lines_of_keys_and_values_are_yaml_only_if_they_are_marked():
    """Headers, `pip show` and `kubectl describe` look like this, with other rules for values."""
    flat = "name: x\nversion: 1\nurl: http://a.b\n"
    assert recognised(flat) is None
    assert read("---\n" + flat) == {"name": "x", "version": 1, "url": "http://a.b"}


# -- in Penstock -----------------------------------------------------------------------------------


def test_sql_over_yaml_and_the_text(open_agent):
    agent = open_agent(budget="2kB", ceiling="100kB")
    probe = agent.offer(f"# today\nhosts:\n{HOSTS}").value
    assert (probe["format"], probe["count"], probe["rows_at"]) == ("yaml", 60, "/hosts")
    token = probe["continuation_token"]
    query = "SELECT sum(cores) AS n FROM result WHERE role = 'web'"
    assert agent.look(token, mode="sql", query=query)["items"] == [{"n": 1770}]
    assert agent.look(token, path="/hosts/7/host", mode="full") == "node-7"
    assert agent.look(token, page_size=1)["text_before"] == "# today"
    assert agent.reply(token, mode="full").text == f"# today\nhosts:\n{HOSTS}"


def test_yaml_inside_a_value_and_among_blocks(open_agent):
    agent = open_agent(budget="2kB", ceiling="100kB")
    token = agent.offer({"stdout": HOSTS, "code": 0, "more": "x" * 3_000}).value[
        "continuation_token"
    ]
    assert agent.look(token, path="/stdout", page_size=2)["items"][1]["host"] == "node-1"
    content = [{"type": "text", "text": f"name: a{n}\nspec:\n  n: {n}\n"} for n in range(200)]
    token = agent.offer(Result(content=content)).value["continuation_token"]
    assert agent.look(token, path="/3/spec/n", mode="full") == 3


MISSING = """
import sys
sys.modules["yaml"] = None
from penstock.core.results import formats
text = b"hosts:\\n" + b"- a: 1\\n  b: 2\\n" * 50
print(formats.recognise(text).cut.reason)
print(formats.recognise(b"Note: this is text\\n" * 50))
"""


def test_without_the_extra_a_notice_says_how_to_install_it():
    done = subprocess.run(
        [sys.executable, "-c", MISSING], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        f"reading it needs a library ({how_to_install('texts')})",
        "None",
    ]


PROSE = """
import sys
from penstock.core.results import formats
formats.recognise(b"Note: this is text\\n" * 50 + b"---\\n")
formats.recognise(b"# Title\\n\\nSome text\\n" * 50)
print("yaml" in sys.modules)
"""


def test_the_parser_is_loaded_for_yaml_only():
    done = subprocess.run([sys.executable, "-c", PROSE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_template_is_no_data():
    text = "spec:\n  replicas: {{ .Values.replicas }}\n  names:\n    - a: 1\n      b: 2\n"
    (notice,) = read_text_with_data(text).notices
    assert "line 2 has a part that a template engine replaces" in notice
    workflow = (
        "jobs:\n  build:\n    name: ${{ matrix.os }}\n    if: x == '{{ y }}'\n    steps: [a]\n"
    )
    assert read_text_with_data(workflow).format == "yaml"


def test_documents_are_rows_only_if_all_are_alike_also_before_an_empty_one():
    one = "---\na: 1\nb:\n  c: 1\n"
    assert read_text_with_data(one * 30 + "---\n -- \n" + one * 30 + "---\n").format == ""
    assert read_text_with_data("a:\n  b: 1\n---\nc:\n  d: 1\n---\n").format == ""
    assert read_text_with_data(one * 3 + "---\n").format == "yaml"
