"""An audit as a table and as a page: readable, honest about what it leaves out, and harmless."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from penstock import Policy
from penstock.cli.auditing.costs import audited
from penstock.cli.auditing.page import page
from penstock.cli.auditing.table import SHOWN_TOOLS, TableStyle, table
from penstock.cli.terminal import width_of
from penstock.core.budget.estimate import EstimateMeter
from penstock.core.budget.measure import O200kMeter
from penstock.errors import how_to_install

EVIL = "<script>alert(1)</script>\"'&\x1b[31m\u202e\x00"


def audit_of(*tools, meter=None, **settings):
    raw = [json.dumps(tool).encode() for tool in tools]
    return audited(raw, Policy(**settings), meter or O200kMeter(), server="shop", version="1")


def tools(count, stem="tool_"):
    return [
        {"name": f"{stem}{n}", "description": "Does a thing to something. " * (n % 30),
         "inputSchema": {"type": "object"}}
        for n in range(count)
    ]  # fmt: skip


STRANGE = [
    *tools(30, "a_very_long_name_for_a_tool_that_goes_on_and_on_and_does_not_end_"),
    *tools(3, "日本語のとても長い道具の名前です"),
    {"name": EVIL, "description": EVIL * 20_000, "inputSchema": {"type": "object"}},
    {"name": "bare"},
]


GIVEN = {"none": [], "one": tools(1), "many": tools(200), "odd": STRANGE}


@pytest.fixture(scope="module", params=GIVEN)
def audit(request):
    return audit_of(*GIVEN[request.param])


# -- the table ---------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [10, 80, 99, 120, 400])
@pytest.mark.parametrize("shows_all", [False, True])
def test_every_line_fits(columns, audit, shows_all):
    text = table(audit, TableStyle(columns, shows_all=shows_all))
    widest = max(map(width_of, text.splitlines()))
    assert widest <= min(max(80, columns), 120)


def test_the_tail_is_summed_and_said():
    found = audit_of(*tools(50))
    short = table(found, TableStyle(100)).splitlines()
    (more,) = [line for line in short if line.startswith("and ")]
    assert more.startswith("and 30 more")
    assert "(--all shows them)" in more
    rest = sum(tool.tokens for tool in found.tools[SHOWN_TOOLS:])
    assert f" {rest:,} " in more
    every = table(found, TableStyle(100, shows_all=True))
    assert "--all" not in every
    assert all(f"tool_{n} " in every for n in range(50))


def test_exactly_as_many_as_are_shown_leave_no_tail():
    assert "more" not in table(audit_of(*tools(SHOWN_TOOLS)), TableStyle()).split("form")[0]


def test_the_table_tells_all_that_was_asked():
    text = table(audit_of(*tools(60)), TableStyle(120))
    assert text.startswith("shop 1 lists 60 tools: ")
    assert "counted exactly" in text
    for line in ("raw ", r"auto \((brief|index)\) ", "full ", "brief ", "index "):
        assert re.search(f"^{line}.*[0-9]", text, re.MULTILINE)
    assert "At a list budget of 2000tok, auto chooses" in text
    assert "A full description has" in text


def test_an_estimate_says_so():
    text = table(audit_of(*tools(3), meter=EstimateMeter()), TableStyle())
    assert "Tokens are estimated, on the high side." in text
    assert how_to_install("tokens") in text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "The server"),
        ({"is_file": True}, "The file"),
        ({"is_file": True, "server": "shop"}, "shop"),
    ],
)
def test_no_tools_are_one_sentence(given, told):
    found = audited([], Policy(), O200kMeter(), **given)
    sentence = f"{told} lists no tools, so there is nothing to save."
    assert table(found, TableStyle()) == sentence
    words = "".join(Reader(page(found)).words)
    assert sentence in words
    assert "auto" not in words.partition("</style>")[2]
    assert "<svg" not in page(found)


def test_entries_that_are_no_tools_are_told_all_the_same():
    found = audited([b"7"], Policy(), O200kMeter())
    assert table(found, TableStyle()).splitlines()[1].startswith("Not counted: 1 entry has no name")
    assert "Not counted: 1 entry has no name" in page(found)


def test_a_file_is_not_called_a_server():
    raw = [json.dumps(tool).encode() for tool in tools(3)]
    found = audited(raw, Policy(), O200kMeter(), is_file=True)
    assert table(found, TableStyle()).startswith("The file lists 3 tools: ")
    assert "<h1>The file lists 3 tools: " in page(found)


def test_auto_has_a_row_of_its_own():
    """If `auto` gives full, that list is not the one that `--list full` gives."""
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(9)}}
    promised = [tool | {"outputSchema": schema} for tool in tools(4)]
    found = audit_of(*promised)
    assert found.auto.tokens < found.forms[0].tokens
    rows = re.findall(
        r"^(auto \(full\)|full) +\d+ +([\d,]+)", table(found, TableStyle()), re.MULTILINE
    )
    assert rows == [
        ("auto (full)", f"{found.auto.tokens:,}"),
        ("full", f"{found.forms[0].tokens:,}"),
    ]
    text = page(found)
    (chosen,) = re.findall(r'<tr class="chosen">(.*?)</tr>', text)
    assert chosen.startswith(
        f'<th scope="row">auto (full)</th><td>5</td><td>{found.auto.tokens:,}<'
    )
    assert f"<title>auto (full): {found.auto.tokens:,} tokens</title>" in text


def test_a_terminal_is_told_nothing():
    text = table(audit_of({"name": EVIL, "description": EVIL}), TableStyle(120))
    assert all(line.isprintable() for line in text.split("\n"))


def test_plain_is_ascii(audit):
    assert table(audit, TableStyle(is_plain=True)).isascii()


# -- the page ----------------------------------------------------------------------------------

VOID = {"meta", "br", "line", "rect", "path", "polyline"}


class Reader(HTMLParser):
    """A parser that records tags, and checks that they are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_a_page_is_whole_and_loads_nothing(audit):
    text = page(audit)
    read = Reader(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(read.tags)
    assert not [
        name
        for _, name, _ in read.attributes
        if name in ("src", "href", "style") or name.startswith("on")
    ]
    assert "http://" not in text
    assert "https://" not in text
    for drawn in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ET.fromstring(drawn)  # noqa: S314 (ours)
    assert not re.search(r'(?:width|height|x|y)="-', text)


def test_a_page_escapes_what_a_server_says():
    text = page(audit_of({"name": EVIL, "description": EVIL}, *tools(3)))
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&quot;" in text
    assert not set("\x00\x1b\u202e") & set(text)


def test_a_page_escapes_the_name_of_the_server():
    found = audited([], Policy(), O200kMeter(), server=EVIL, version=EVIL)
    text = page(found)
    assert "<script" not in text
    Reader(text)


def test_a_page_has_every_tool_and_every_number():
    found = audit_of(*tools(200))
    words = Reader(page(found)).words
    for tool in found.tools:
        assert tool.name in words
    for cost in (found.auto, *found.forms):
        assert f"{cost.tokens:,}" in words


def test_plots_are_told_to_those_who_do_not_see_them():
    read = Reader(page(audit_of(*tools(200))))
    plots = [value for tag, name, value in read.attributes if name == "aria-labelledby"]
    ids = {value for _, name, value in read.attributes if name == "id"}
    assert len(plots) == 3
    assert {part for value in plots for part in value.split()} <= ids
    assert ("html", "lang", "en") in read.attributes
    assert "prefers-color-scheme: dark" in page(audit_of())


def test_a_name_without_utf8_can_be_written():
    text = page(audit_of({"name": "a\ud800b"}))
    text.encode("utf-8", "replace")
