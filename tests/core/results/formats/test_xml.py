"""XML: whenever a text is recognised, its value is that of a second reader, over the standard library's tree."""

from __future__ import annotations

import json
import random
import sys
import sysconfig
from pathlib import Path
from xml.parsers.expat import ExpatError

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xml_oracle import XmlOracle

from penstock.core.json import rawjson
from penstock.core.results import formats
from penstock.core.results.formats import NearMiss, TextCut
from penstock.core.results.formats.xml.format import LARGEST
from penstock.core.results.formats.xml.scan import DEEPEST, MOST_NAMES


def cut_of(text):
    """Return the cut of an XML text, its rows as they are kept, and its value."""
    data = rawjson.utf8(text)
    found = formats.recognise(data)
    assert found is not None
    assert found.name == "xml"
    assert isinstance(found.cut, TextCut), found.cut
    cut = found.cut
    rows = [row for block in cut.blocks for row in block]
    assert cut.prefix + cut.joint.join(rows) + cut.suffix == data
    frame = formats.frame_of("xml", cut.prefix, cut.suffix, cut.reading)
    decoded = formats.decoded("xml", rows, cut.reading)
    assert len(decoded) == len(rows)
    for row in decoded if cut.shape == "rows" else ():
        rawjson.require_shallow(row)
    return cut, rows, json.loads(frame.prefix + b",".join(decoded) + frame.suffix)


def value_of(text):
    return cut_of(text)[2]


def expected(text, cut):
    """Return the value that the oracle has for a cut."""
    oracle = XmlOracle(text, is_local=b'"is_local"' in cut.reading)
    if cut.shape == "members":
        return oracle.members(oracle.root)
    return oracle.with_rows(json.loads(cut.contents[0])["element"])


def near_miss(text):
    found = formats.recognise(rawjson.utf8(text))
    assert found is not None
    assert found.name == "xml"
    assert isinstance(found.cut, NearMiss)
    return found.cut.reason


def is_xml(text):
    found = formats.recognise(rawjson.utf8(text))
    return found is not None and found.name == "xml"


# -- the mapping -----------------------------------------------------------------------------------


def test_the_repeated_element_is_the_rows():
    text = """<?xml version="1.0" encoding="UTF-8"?>
<!-- books -->
<library city="Bern">
  <book id="1"><title>Mill &amp; Weir</title><year>1973</year></book>
  <!-- a pause -->
  <book id="2"><title lang="de"><![CDATA[<Wehre>]]></title><year/></book>
</library>
"""
    cut, rows, value = cut_of(text)
    assert (cut.shape, cut.list_path) == ("rows", "/book")
    assert rows[0].endswith(b"<!-- a pause -->\n  ")
    assert value == {
        "book": [
            {"@id": 1, "title": {"#text": "Mill & Weir"}, "year": 1973},
            {"@id": 2, "title": {"@lang": "de", "#text": "<Wehre>"}, "year": None},
        ],
        "@city": "Bern",
    }
    told = {"element": "/library/book", "beside": {"/@city": "Bern"}}
    assert json.loads(cut.contents[0]) == told


def test_an_element_that_comes_several_times_anywhere_is_a_list_everywhere():
    value = value_of("<z><b><c>x</c></b><b><c>y</c><c>z</c></b><b/></z>")
    assert value == {"b": [{"c": ["x"]}, {"c": ["y", "z"]}, {}]}


def test_rows_may_be_deeper_and_what_is_around_them_is_kept():
    items = "<item><title>n</title></item>" * 30
    text = f'<rss version="2.0"><channel><title>News</title><c>a</c><c>b</c>{items}<end/></channel></rss>'
    cut, rows, value = cut_of(text)
    assert (cut.list_path, len(rows)) == ("/item", 30)
    others = {key: it for key, it in value.items() if key != "item"}
    assert others == {
        "title": "News",
        "c": ["a", "b"],
        "end": None,
        "#parent": {"#name": "rss", "@version": 2.0},
    }


def test_children_of_several_names_in_turn_are_all_rows_in_their_order():
    text = "<w:body><w:p>one</w:p><w:tbl a='1'/>and<w:p>two</w:p></w:body>"
    cut, _, value = cut_of("<?xml version='1.0'?>" + text)
    assert cut.list_path == "/#children"
    assert value == {
        "#children": [
            {"#name": "w:p", "#text": "one"},
            {"#name": "w:tbl", "@a": 1, "#tail": "and"},
            {"#name": "w:p", "#text": "two"},
        ]
    }


def test_without_a_repeated_element_the_parts_of_the_root_are_members():
    text = "<config a='1' b = \"x &lt; y\" >\n<db><host>h</host></db><port>1</port><port>2</port><log/></config>"
    cut, rows, value = cut_of(text)
    assert (cut.shape, cut.list_path, len(rows)) == ("members", "", 5)
    members = {"@a": 1, "@b": "x < y", "db": {"host": "h"}, "port": [1, 2], "log": None}
    assert value == members


def test_no_text_between_children_is_lost():
    value = value_of("<z><p>Hello <b>big</b> world</p><p xml:space='preserve'> x </p></z>")
    first = {"b": "big", "#text": "Hello  world"}
    assert value == {"p": [first, {"@xml:space": "preserve", "#text": " x "}]}


def test_numbers_are_confirmed_on_every_cell():
    rows = "".join(f"<r><n>{n}</n><m>{n}</m><z>0{n}</z><q>1</q></r>" for n in range(3_000))
    last = "<r><n>x</n><m> 1.50 </m><z>1</z><q>N/A</q></r>"
    cut, _, value = cut_of(f"<z>{rows}{last}</z>")
    assert value["r"][7] == {"n": "7", "m": 7, "z": "07", "q": 1}
    assert value["r"][-1] == {"n": "x", "m": 1.5, "z": "1", "q": None}
    assert cut.notices == ("In columns of numbers, N/A is null.",)


def test_quotes_belong_to_a_text():
    assert value_of('<z><r>"5"</r><r>"6"</r></z>') == {"r": ['"5"', '"6"']}


def test_an_element_with_children_elsewhere_is_an_object_also_if_it_is_empty():
    value = value_of("<z><r><d><e/><e/></d></r><r><d><e/></d></r><r><d/></r></z>")
    assert value == {"r": [{"d": {"e": [None, None]}}, {"d": {"e": [None]}}, {"d": {}}]}


def test_a_declared_encoding_does_not_change_the_text():
    for encoding in ("ISO-8859-1", "UTF-16", "no-such"):
        text = f'\ufeff<?xml version="1.0" encoding="{encoding}"?><a><b>é</b><b>ü</b></a>'
        assert value_of(text) == {"b": ["é", "ü"]}


def test_a_text_with_many_names_is_read_element_by_element():
    rows = "".join(f"<r><n{n}>{n}</n{n}></r>" for n in range(1_000))
    cut, _, value = cut_of(f"<z>{rows}</z>")
    assert value["r"][7] == {"n7": "7"}
    assert len(cut.reading) < 100
    assert "all values are texts" in cut.notices[0]


def test_defaults_of_the_document_type_are_told():
    text = "<!DOCTYPE a [<!ATTLIST b c CDATA 'x'>]><a><b/><b c='1'/></a>"
    cut, _, value = cut_of(text)
    assert value == {"b": [{}, {"@c": 1}]}
    assert "default" in cut.notices[0]


# -- an oracle -------------------------------------------------------------------------------------


def material():
    """Yield XML that nobody here wrote: files of Python's tests, of installed packages and of the system."""
    folders = [
        (Path(sysconfig.get_path("stdlib")) / "test", "*.xml", 30),
        (Path(sysconfig.get_path("purelib")), "*.xml", 30),
        (Path("/usr/share/mime"), "*.xml", 40),
        (Path("/usr/share/xml/iso-codes"), "*.xml", 3),
        (Path("/etc/fonts"), "*.conf", 40),
    ]
    for folder, pattern, most in folders:
        yield from sorted(folder.rglob(pattern))[:most] if folder.exists() else ()


def test_files_of_others_are_read_as_the_oracle_reads_them():
    read = 0
    for path in material():
        text = path.read_bytes().decode("utf-8", "replace")
        found = formats.recognise(rawjson.utf8(text))
        if found is None or found.name != "xml" or isinstance(found.cut, NearMiss):
            continue
        cut, _, value = cut_of(text)
        if "<!ATTLIST" in text or len(text) > 1_000_000:
            continue  # the oracle reads declarations too, and takes long
        try:
            assert value == expected(text, cut), path
        except ExpatError:
            continue  # a namespace that is not declared: the oracle refuses it
        read += 1
    assert read >= (10 if sys.platform == "linux" else 0)


NAMES = st.sampled_from(["a", "b", "c", "x:d", "été", "_e.f-1"])
WORDS = st.sampled_from(["", " ", "1", "2.50", "007", "-", "&quot;5&quot;", "1,200", "NA", "x", "é\u2028", " y\n", "1e5", "12345678901234567890"])  # fmt: skip
PIECES = st.one_of(
    WORDS,
    st.sampled_from(["&amp;", "&#65;", "<![CDATA[<z>&q;]]>", "<!-- <a> -->", "<?pi <b>?>", "\r\n"]),
)
ATTRIBUTES = st.dictionaries(NAMES.filter(lambda name: ":" not in name), WORDS, max_size=2)


def element(name, attributes, inside):
    told = "".join(f' {key}="{value}"' for key, value in attributes.items())
    body = "".join(inside)
    return f"<{name}{told}>{body}</{name}>" if body else f"<{name}{told}/>"


ELEMENTS = st.recursive(
    st.builds(element, NAMES, ATTRIBUTES, st.lists(PIECES, max_size=2)),
    lambda inner: st.builds(element, NAMES, ATTRIBUTES, st.lists(inner | PIECES, max_size=5)),
    max_leaves=25,
)


@given(st.lists(ELEMENTS, min_size=1, max_size=6), ATTRIBUTES, st.lists(PIECES, max_size=2))
def test_any_xml_is_read_as_the_oracle_reads_it(elements, attributes, texts):
    attributes = {**attributes, "xmlns:x": "urn:x"}
    text = '<?xml version="1.0"?>\n' + element("root", attributes, [*elements, *texts])
    cut, _, value = cut_of(text)
    assert value == expected(text, cut)


DAMAGES = ["", "<", ">", "&", '"', "</a>", "<a>", "<!--", "]]>", "<![CDATA[", "\0", "\ud800", "é", "<!DOCTYPE a>", "<?"]  # fmt: skip


@given(ELEMENTS, st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), st.sampled_from(DAMAGES)), max_size=4))  # fmt: skip
def test_damaged_xml_raises_nothing(inner, damages):
    text = f"<?xml version='1.0'?><root xmlns:x='urn:x'>{inner}{inner}<a/></root>"
    for place, without, put_in in damages:
        at = place % (len(text) + 1)
        text = text[:at] + put_in + text[at + without :]
    if is_xml(text) and isinstance(formats.recognise(rawjson.utf8(text)).cut, TextCut):
        cut_of(text)


# -- bad input -------------------------------------------------------------------------------------


LAUGHS = '<!ENTITY lol0 "lol">' + "".join(
    f'<!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">' for n in range(1, 10)
)
BOMBS = {
    "laughs": f"<?xml version='1.0'?>\n<!DOCTYPE lolz [{LAUGHS}]>\n<lolz><a>&lol9;</a><a/></lolz>",
    "in an attribute": f"<!DOCTYPE lolz [{LAUGHS}]>\n<lolz><a b='&lol9;'/><a/></lolz>",
    "quadratic": f"<!DOCTYPE z [<!ENTITY a '{'x' * 50_000}'>]><z><a>{'&a;' * 50_000}</a><a/></z>",
    "a file": "<!DOCTYPE z [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><z><a>&a;</a><a/></z>",
    "a page": "<!DOCTYPE z [<!ENTITY a SYSTEM 'http://localhost/'>]><z><a>&a;</a><a/></z>",
    "a parameter": "<!DOCTYPE z [<!ENTITY % a SYSTEM 'http://localhost/'> %a;]><z><a/><a/></z>",
    "unused": "<!DOCTYPE z [\n<!ENTITY a 'b'>]><z><a/><a/></z>",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_text_that_declares_entities_is_lines(name):
    assert near_miss(BOMBS[name]).endswith("declares an entity, and no entities are read")


def test_an_entity_that_another_file_declares_is_not_left_out_in_silence():
    text = "<!DOCTYPE z SYSTEM 'z.dtd'>\n<z><a b='x&nbsp;y'/><a/></z>"
    assert near_miss(text) == "line 2 has an entity that is not declared in the text"
    assert near_miss("<?xml version='1.0'?>\n<z>&nbsp;<a/></z>") == "line 2 is not XML (undefined entity)"  # fmt: skip
    text = "<!DOCTYPE z SYSTEM 'z.dtd'><z><a b='x&amp;y'>&#65;</a><a/></z>"
    assert value_of(text) == {"a": [{"@b": "x&y", "#text": "A"}, {}]}


def test_deep_texts_are_lines():
    levels = 100_000
    reason = f"it is nested deeper than {DEEPEST} elements"
    assert near_miss("<z>" * levels + "</z>" * levels) == reason
    inside = DEEPEST - 2
    text = f"<r>{'<a><b/><a/>' * inside}{'</a>' * inside}<a/></r>"
    cut, _, value = cut_of(text)
    assert value == expected(text, cut)
    assert str(value).count("[") > inside


def test_twenty_megabytes_in_one_line():
    text = "<z>" + "<b>x</b>" * 2_500_000 + "</z>"
    assert near_miss(text) == f"it has {len(text):,} bytes, and at most {LARGEST:,} are read"
    assert not is_xml("<div>" + "<p>x</p>" * 2_500_000 + "</div>")


def test_an_attribute_of_five_megabytes():
    long = "x" * 5_000_000
    cut, rows, value = cut_of(f'<z b="{long}" c="1"><d/><e/></z>')
    assert (cut.shape, len(rows), value["@b"]) == ("members", 4, long)
    assert value_of(f'<z><d b="{long}"/><d/></z>')["d"][0] == {"@b": long}


def test_too_many_names_are_refused():
    rows = "".join(f"<n{n}/>" for n in range(MOST_NAMES + 1))
    assert near_miss(f"<z>{rows}</z>").startswith("it has more than 20,000 different elements")
    attributes = " ".join(f"n{n}=''" for n in range(MOST_NAMES + 1))
    assert near_miss(f"<z><b {attributes}/></z>").startswith("it has more than 20,000")


def test_a_large_comment_is_not_carried_with_every_page():
    text = f"<!--{'x' * 9_000}--><z><b/><b/></z>"
    assert near_miss(text) == "9,014 bytes are around its elements, and at most 8,000 are read"


def test_a_text_that_is_cut_off_names_the_line():
    text = "<list>\n" + "<item><name>n</name></item>\n" * 40
    assert near_miss(text) == "it is cut off: <list> is not closed in line 42"
    assert near_miss(text + "<item><na") == "it is cut off: <item> is not closed in line 42"
    assert near_miss(text + "<item></list>") == "line 42 is not XML (mismatched tag)"
    assert near_miss(text + "</list>\nThat was all.") == "line 43 is not XML (junk after document element)"  # fmt: skip


# -- other texts -----------------------------------------------------------------------------------


OTHERS = {
    "a page": "<!DOCTYPE html>\n<html><body><p>x</p><p>y</p></body></html>",
    "a page with entities": "<?xml version='1.0'?><!-- - --><!DOCTYPE html PUBLIC 'x' 'y'><html><p>&nbsp;</p></html>",
    "a declared page": "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><p/><p/></html>",
    "a part of a page": "<div><p>one</p><p>two</p><p>three</p></div>",
    "a drawing": "<svg xmlns='http://www.w3.org/2000/svg'><g><path/><path/></g></svg>",
    "tags around JSON": '<data-7f>\n[{"a": 1}, {"a": 2}]\n</data-7f>',
    "tags around a sentence": "<answer>The <b>gate</b> is <i>open</i> and <b>dry</b>.</answer>",
    "an address": "<ann@example.org> wrote:\n> hello\n" * 20,
    "a chat": "".join(f"<nick{n % 3}> hello {n}\n" for n in range(50)),
    "generics": "<T extends Foo>(x: T) => x;\n" * 20,
    "a conflict": "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
    "less": "<5 items\n<6 items\n",
    "component": "<template>\n<b-x>{{ a && b }}</b-x>\n</template>\n<script>\nlet a = 1 < 2;\n</script>",
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_texts_with_tags_are_not_xml(name):
    assert not is_xml(OTHERS[name])


@pytest.mark.parametrize("unit", ["<", "<a>", "<a b='", "<!--", "<?", "<![CDATA[", "<a/>", "&", "<a><b/>", "<!DOCTYPE a [", "]>"])  # fmt: skip
def test_a_text_that_begins_again_and_again_ends(unit):
    """In time that is not linear, this would take hours."""
    for text in (unit * 300_000, f"<?xml version='1.0'?><a>{unit * 300_000}"):
        formats.recognise(text.encode())


def test_parts_of_a_real_text_in_any_order_raise_nothing():
    chance = random.Random(19)
    text = "<?xml version='1.0'?>" + "<a x='1'><b>t</b><!-- c --><![CDATA[ d ]]></a>" * 30
    for _ in range(200):
        first, second = sorted(chance.sample(range(len(text)), 2))
        formats.recognise((text[first:] + text[:second]).encode())
