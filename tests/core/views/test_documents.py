"""A document is read by its sections: the probe is its table of contents, and its summary the outline."""

from __future__ import annotations

import importlib.metadata
import json

import pytest
from markdown_oracle import markdown_it_reading
from shown_rows import shown_rows

from penstock import Budget
from penstock.core.budget.measure import default_meter

# The handbook of a library: 40,000 characters with many tables and much code.
HANDBOOK = importlib.metadata.metadata("orjson").get("Description") or str(
    importlib.metadata.metadata("orjson").get_payload()
)
READ = markdown_it_reading(HANDBOOK)
TITLES = [title for _, _, title in READ.headings]
LINES = HANDBOOK.split("\n")


def number_of(title):
    """Return the number of a section. The handbook starts with its first heading."""
    return next(n for n, one in enumerate(TITLES) if one.strip("`") == title)


def section_of(line):
    """Return the number of the section that a line is in."""
    return max(n for n, (first, _, _) in enumerate(READ.headings) if first <= line)


def source_of(number):
    """Return the text of a section, without its heading."""
    starts = [first for first, _, _ in READ.headings] + [len(LINES)]
    is_last = number + 1 == len(READ.headings)
    lines = LINES[starts[number] + 1 : starts[number + 1]]
    return "\n".join(lines) + ("" if is_last else "\n")


@pytest.fixture
def reader(open_agent):
    return open_agent(budget="2kB", ceiling="200kB")


@pytest.fixture
def token(reader):
    return reader.offer(HANDBOOK).value["continuation_token"]


# -- ten questions about a real handbook -----------------------------------------------------------


def test_which_chapters_are_there(reader):
    probe = reader.offer(HANDBOOK).value
    assert (probe["format"], probe["count"]) == ("markdown", len(READ.headings))
    for number, (_, level, title) in enumerate(READ.headings):
        if level <= 2:
            assert probe["contents"][f"/{number}"] == f"{'#' * level} {title}"
    assert len(probe["contents"]) + probe["contents_omitted"] == len(READ.headings)
    assert len(probe["tables"]) + probe["tables_omitted"] == len(READ.tables)


def test_how_large_is_each_section(open_agent):
    agent = open_agent(budget="40kB")
    told = agent.look(agent.offer(HANDBOOK).value["continuation_token"], mode="summary")
    assert told["total"] == len(READ.headings)
    assert told["omitted"] == 0
    shown = told["outline"][f"/{number_of('numpy')}"]
    number = number_of("numpy")
    tables = sum(section_of(line) == number for line, _ in READ.tables)
    code = sum(section_of(line) == number for line, *_ in READ.fences)
    size = len(source_of(number))
    assert shown == f"### numpy ({size:,} chars, {tables} tables, {code} code blocks)"


def test_what_does_a_section_say(reader, token):
    number = number_of("License")
    assert reader.reply(token, path=f"/{number}/text", mode="full").text == source_of(number)
    for number in range(len(TITLES)):
        assert reader.reply(token, path=f"/{number}/text", mode="full").text == source_of(number)


def test_how_is_it_installed(reader, token):
    number = number_of("Install")
    code = [(language, text) for line, language, text in READ.fences if section_of(line) == number]
    items = reader.look(token, path=f"/{number}/code")["items"]
    assert [(one["language"], one["text"]) for one in items] == code
    assert reader.reply(token, path=f"/{number}/code/0/text", mode="full").text == code[0][1]


def test_where_is_a_word(reader, token):
    expected = [
        n for n, line in enumerate(LINES) if "Infinity" in line and not line.startswith("#")
    ]
    told = reader.look(token, mode="search", query="infinity")
    assert told["total"] == len(expected)
    for hit, line in zip(shown_rows(told), expected, strict=True):
        number = section_of(line)
        assert hit["path"] == f"/{number}/text"
        assert hit["section"] == f"{'#' * READ.headings[number][1]} {TITLES[number]}"
        assert hit["line"] == line - READ.headings[number][0]
        assert hit["text"] == LINES[line]


def test_which_headings_name_a_thing(reader, token):
    hits = shown_rows(reader.look(token, mode="search", query="# OPT_", page_size=100))
    assert [hit["path"] for hit in hits] == [
        f"/{n}" for n, title in enumerate(TITLES) if title.strip("`").startswith("OPT_")
    ]


def test_how_fast_is_it(reader, token):
    number = number_of("twitter.json serialization")
    (cells,) = [rows for line, rows in READ.tables if section_of(line) == number]
    names, *rows = cells
    path = f"/{number}/tables/twitter_json_serialization"
    query = f"SELECT \"{names[2]}\" AS n FROM result WHERE Library = 'orjson'"  # noqa: S608
    told = reader.look(token, path=path, mode="sql", query=query)
    assert told["items"] == [{"n": int(rows[0][2])}]
    row = reader.look(token, path=f"{path}/1", mode="full")
    assert row[names[0]] == rows[1][0]
    assert row[names[1]] == float(rows[1][1])


def test_which_sections_have_code_in_a_language(reader, token):
    query = '[.[] | select(any(.code[]?; .language == "toml")) | .heading]'
    expected = {TITLES[section_of(line)] for line, kind, _ in READ.fences if kind == "toml"}
    value = reader.look(token, mode="query", query=query)
    assert {*value["items"]} == expected


def test_how_many_sections_are_on_each_level(reader, token):
    query = "SELECT level, count(*) AS n FROM result GROUP BY level ORDER BY level"
    levels = [level for _, level, _ in READ.headings]
    told = reader.look(token, mode="sql", query=query)
    assert shown_rows(told) == [{"level": n, "n": levels.count(n)} for n in sorted({*levels})]


def test_what_is_the_text(reader, token):
    assert reader.reply(token, mode="full").text == HANDBOOK
    assert reader.look(token, path="/~text", page_size=3)["items"] == LINES[:3]
    assert reader.reply(token, path="/~text/7", mode="full").text == LINES[7]


# -- small budgets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", ["1kB", "2kB", "500tokens", "1kB+1lines", "25kB"])
@pytest.mark.parametrize(
    "fields",
    [{}, {"mode": "summary"}, {"mode": "search", "query": "json"}, {"path": "/9"}, {"path": "/9/text"},
     {"path": "/9", "mode": "search", "query": "json"}, {"path": "/9", "mode": "summary"}],
    ids=str,
)  # fmt: skip
def test_no_reply_is_over_budget(open_agent, budget, fields):
    agent = open_agent(budget=budget)
    probe = agent.offer(HANDBOOK)
    for reply in (probe, agent.reply(probe.value["continuation_token"], **fields)):
        assert not reply.is_error
        assert Budget.parse(budget).admits(reply.shown()[0], default_meter())


@pytest.mark.parametrize("budget", ["1kB", "500tokens"])
def test_a_small_probe_has_contents_rather_than_a_preview(open_agent, budget):
    probe = open_agent(budget=budget).offer(HANDBOOK).value
    assert probe["contents"]["/0"] == f"# {TITLES[0]}"
    assert len(probe["contents"]) >= 10
    assert len(probe["contents"]) + probe["contents_omitted"] == len(TITLES)


def test_the_deepest_levels_are_left_out_of_an_outline_first(open_agent):
    agent = open_agent(budget="1kB")
    told = agent.look(agent.offer(HANDBOOK).value["continuation_token"], mode="summary")
    levels = [READ.headings[int(path[1:])][1] for path in told["outline"]]
    left = told["omitted_levels"]
    assert sum(left.values()) == told["omitted"] == len(TITLES) - len(levels)
    all_levels = [level for _, level, _ in READ.headings]
    for level in {*all_levels}:
        assert left.get(f"level {level}", 0) == all_levels.count(level) - levels.count(level)
    assert min(int(name.split()[1]) for name in left) >= max(levels)
    paths = [int(path[1:]) for path in told["outline"]]
    assert paths == sorted(paths)


def test_a_long_section_is_read_in_windows(reader):
    long = "A very long line. " * 400
    text = f"{HANDBOOK}\n## Long\n\n{long}\n\nThe end.\n"
    token = reader.offer(text).value["continuation_token"]
    path = f"/{len(TITLES)}"
    stub = next(item for item in reader.look(token, path=path)["items"] if item["key"] == "text")
    assert stub["value"]["$path"] == f"{path}/text"
    shown, page = "", reader.look(token, path=f"{path}/text")
    while True:
        for item in page["items"]:
            is_cut = "window" in page and page["window"]["to"] < page["window"]["of"]
            shown += item + ("" if is_cut else "\n")
        if not page["next"]:
            break
        page = reader.look(page["next"])
    assert shown == f"\n{long}\n\nThe end.\n\n"


# -- documents in other places -----------------------------------------------------------------------


def test_a_section_is_shown_as_its_members_even_with_one_list(reader, token):
    number = number_of("Install")
    items = reader.look(token, path=f"/{number}")["items"]
    assert [item["key"] for item in items] == ["level", "heading", "text", "code"]
    assert items[2]["value"] == source_of(number)


def test_a_search_in_a_section_finds_its_lines_once(reader, token):
    number = number_of("Quickstart")
    lines = source_of(number).split("\n")
    hits = shown_rows(reader.look(token, path=f"/{number}", mode="search", query="dumps"))
    assert [hit["text"] for hit in hits] == [line for line in lines if "dumps" in line]
    assert {hit["path"] for hit in hits} == {f"/{number}/text"}


def test_a_document_inside_a_value(reader):
    token = reader.offer({"code": 0, "stdout": HANDBOOK}).value["continuation_token"]
    told = reader.look(token, path="/stdout", mode="summary")
    assert told["total"] == len(TITLES)
    assert "/stdout/0" in told["outline"]
    number = number_of("License")
    path = f"/stdout/{number}/text"
    assert reader.reply(token, path=path, mode="full").text == source_of(number)
    hits = shown_rows(reader.look(token, path="/stdout", mode="search", query="# License"))
    assert [hit["path"] for hit in hits] == [f"/stdout/{number}"]


def test_a_text_before_the_first_heading_is_in_the_outline(reader):
    text = f"Hello.\n\n{HANDBOOK}"
    token = reader.offer(text).value["continuation_token"]
    outline = reader.look(token, mode="summary")["outline"]
    assert outline["/0"] == "(before the first heading) (8 chars)"


def test_a_document_is_handed_on_as_its_text(reader, token):
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    caller = reader.but(tool="consumer", schema=schema)
    assert not caller.call(lambda _: "done", x=f"@result:{token}").is_error
    assert caller.runs == [{"x": HANDBOOK}]


def test_a_long_line_of_a_document_has_a_hit_for_each_occurrence(reader):
    text = f"{HANDBOOK}\n## Long\n\n{'needle and hay ' * 30}\n"
    token = reader.offer(text).value["continuation_token"]
    told = reader.look(token, mode="search", query="needle", page_size=2)
    assert told["total"] == 30
    first, second = shown_rows(told)
    assert (first["at"], second["at"], second["line"]) == (0, 15, 2)
    assert json.dumps(second).count("## Long") == 1
