"""Shortened descriptions: words without markup, the first sentence, and cuts after any word."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.disclosure.texts import markup, prose, shortening
from penstock.disclosure.texts.shortening import ELLIPSIS, Wording, clipped, first_sentence, plain

README = """
# Weather

[![build](https://ci.example/b.svg)](https://ci.example)

Get the **current** weather for a [city](https://example.org/c_(x) "Cities"), e.g. Paris.
Uses `v1.2` of the API. <!-- internal -->

## Modes

- *fast*: from the cache
- [x] __exact__: asks the station

| code | meaning |
|------|---------|
| 1    | sunny   |

```json
{"city": "Paris."}
```

Costs nothing.
"""


def test_a_readme_in_one_line():
    assert plain(README) == (
        "build Get the current weather for a city, e.g. Paris. Uses v1.2 of the API. "
        "fast: from the cache exact: asks the station Costs nothing."
    )


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("", ""),
        ("  \n\t\n ", ""),
        ("one\r\ntwo\u2028three", "one two three"),
        # emphasis
        ("**bold *both*** and ***all** this*", "bold both and all this"),
        ("_a_ __b__ ~~c~~ **`d`** (**e**) **⚠️ f:** g", "a b c d (e) ⚠️ f: g"),
        ("**重要**です", "重要です"),
        # code
        ("`a` ``b`c`` `**kept** <b>`", "a b`c **kept** <b>"),
        ("one ` tick", "one ` tick"),
        ("a\n\n~~~\ncode\n```\n~~~\nb", "a b"),
        ("a\n```\nnever closed", "a"),
        ("a ```inline``` b", "a inline b"),
        ("a\n>>> call()\n'result'\n\nb", "a b"),
        # links
        ("[a](b) ![c](d) <https://e.f/g> [h] i[0]", "a c https://e.f/g [h] i[0]"),
        ("](a) [b]( c", "](a) [b]( c"),
        # HTML
        ("<p>A <b>bold</b>.</p><ul><li>x</li><li>y</li></ul>a<br/>b", "A bold. x y a b"),
        ('<A HREF="x">y</A> <img src="z">', "y"),
        ("<rules>\nBe good.\n</rules>", "Be good."),
        (
            "&lt;b&gt; &amp;&nbsp;&#65;&#x42; &nonsense; ?a=1&copy=2",
            "<b> & AB &nonsense; ?a=1&copy=2",
        ),
        # headings, rules, quotes, lists, tables
        ("Title\n=====\na\n\n### b ###\nc\n***\nd", "a c d"),
        ("A sentence.\n---\nb", "A sentence. b"),
        ("> a\n>> b\n1. c\n2) d\n• e", "a b c d e"),
        ("a\n\nx | y\n--|--\n1 | 2\n\nb", "a b"),
        ("a\n| x | y |\n\nb", "a b"),
        ("\\*a\\* \\_b\\_", "*a* _b_"),
    ],
)
def test_markup_goes(marked, words):
    assert plain(marked) == words


@pytest.mark.parametrize(
    "text",
    [
        "Files such as *.py, **/*.ts and src/**.",
        "Passes *args and **kwargs on.",
        "Reads snake_case_names, _meta and __init__.py, calls __call__().",
        'Use "*" for all, or "*" twice; count(*) and 2*3*4 too.',
        "Runs at */5 * * * * or 5 * * * *.",
        "Clones <owner>/<repo> into List<String> where a < b > c.",
        "Takes a[0][1] and [optional] things, #1 of C#.",
        "Costs a ~ b, 5 - 3 = 2, x|y.",
    ],
)
def test_what_only_looks_like_markup_stays(text):
    assert plain(text) == text


@pytest.mark.parametrize(
    ("only", "words"),
    [
        ("# Get the *weather*", "Get the weather"),
        ("```\nusage: weather\n```", "usage: weather"),
        ("Weather\n-------", "Weather"),
        ("***", ""),
    ],
)
def test_what_is_no_prose_is_shown_where_there_is_nothing_else(only, words):
    assert plain(only) == words


@pytest.mark.parametrize(
    "sentence",
    [
        "Gets a thing.",
        "Gets it!",
        "Gets it?",
        "Gets a thing (or two).",
        'Says "done."',
        "Takes a city, e.g. Paris, i.e. a name.",
        "Compares A vs. Python, approx. Five times.",
        "Uses v1.2 of file.py and Node.js at 3.5 GB.",
        "Reads https://example.org/a.html?b=c.d. and more.",
        "Written by J. R. Smith and Dr. Jones of Acme Inc. Boston.",
        "Covers the U.S. Senate.",
        "Waits... Then goes on… And on.",
        "Takes no. 5 and max. 10 of them.",
        "Returns the top 5.",
        "Goes to .. or . Or not.",
        "Takes a timeout in ms.",
        "Takes PNG, JPG, etc.",
        "取得します。",
        "获取“天气”信息\uff01",
        "「はい。」",
        "Python を使う。",
    ],
)
def test_a_sentence_ends_where_it_ends(sentence):
    assert first_sentence(f"{sentence} The next one. And another.") == sentence
    assert first_sentence(sentence) == sentence


def test_no_space_is_needed_after_a_full_stop_of_its_own_script():
    assert first_sentence("取得します。次です。") == "取得します。"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Get the\nweather\n\nNow.", "Get the weather"),
        ("No end", "No end"),
        ("# Weather\nGets it. Then", "Gets it."),
        ("- one\n- two", "one"),
        ("Args:\n    city: A name. Any.", "city: A name."),
        ("**Parameters:**\n- city", "city"),
        ("Args:", ""),
        ("Get it\nArgs:\n    city: A name.", "Get it"),
        ("Get it\n\nReturns: a list.", "Get it"),
        ("Get it\n**Returns:** a list.", "Get it"),
        ("Get it\n:param city: A name.", "Get it"),
        ("Get it\n@returns a list.", "Get it"),
        ("Get it\nParameters\n----------\ncity : str", "Get it"),
        ("lower case. without any capital", "lower case. without any capital"),
    ],
)
def test_the_first_sentence_of_a_docstring(text, sentence):
    assert first_sentence(text) == sentence


def test_the_number_of_an_item_begins_a_sentence():
    assert Wording("Open it. 2. Close it.").take(3) == "Open it. 2…"
    assert Wording("Takes 2. Close it.").take(2) == "Takes 2."


def test_ever_more_words():
    wording = Wording("Get the (current) weather, now. Then wait - for it. End")
    assert (wording.words, wording.first_words) == (11, 5)
    assert [wording.take(words) for words in range(12)] == [
        "",
        "Get…",
        "Get the…",
        "Get the (current)…",
        "Get the (current) weather…",
        "Get the (current) weather, now.",
        "Get the (current) weather, now. Then…",
        "Get the (current) weather, now. Then wait…",
        "Get the (current) weather, now. Then wait…",
        "Get the (current) weather, now. Then wait - for…",
        "Get the (current) weather, now. Then wait - for it.",
        "Get the (current) weather, now. Then wait - for it. End",
    ]


def test_a_sign_after_a_sentence_is_not_worth_a_cut():
    assert Wording("Get it. - Then go").take(3) == "Get it."


def test_where_there_are_no_spaces_a_word_is_a_character():
    wording = Wording("天気を「取得」する。か\u3099")
    assert wording.take(2) == "天気…"
    assert wording.take(4) == "天気を…"
    assert wording.take(wording.first_words) == "天気を「取得」する。"
    assert wording.take(wording.words) == "天気を「取得」する。か\u3099"
    assert wording.words == wording.first_words + 1


def test_nothing_to_say():
    wording = Wording(" ")
    assert (wording.words, wording.first_words, wording.take(3)) == (0, 0, "")
    assert Wording("a b").take(-1) == ""


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("Get it", 6, "Get it"),
        ("Get it", 5, "Get…"),
        ("Get it", 4, "Get…"),
        ("Get it", 3, "Ge…"),
        ("Get it", 1, "…"),
        ("Get it", 0, ""),
        ("Get it", -1, ""),
        ("Get it. Then go", 9, "Get it…"),
        ("Get, (it", 7, "Get…"),
        ("天気を取得", 4, "天気を…"),
        ("Get 天気を取得", 7, "Get 天気…"),
        ("e\u0301e\u0301e\u0301", 4, "e\u0301…"),
        ("\ud83d\ude00\ud83d\ude00", 3, "\ud83d\ude00…"),
        ("\U0001f469\u200d\U0001f469\U0001f469", 3, "…"),
        ("\U0001f44d\U0001f3fd\U0001f44d", 2, "…"),
    ],
)
def test_clipped(text, most, shown):
    assert clipped(text, most) == shown


# -- any text ------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    (
        "word", "e.g.", "End.", "Then", " ", "\n", "\n\n", "*", "**", "_", "`", "```", "~~~", "[", "](x)",
        "<b>", "</b>", "<!--", "-->", "&#55296;", "&amp;", "\\", "# ", "- ", "1. ", "|", "|-|", "---", ">",
        "Args:", "…", "...", "天気", "。", "「", "\u3099", "e\u0301", "\ud83d", "\ude00", "😀", "\u200d", "\x00",
    )
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=24).map("".join), st.text(max_size=40))


@given(TEXTS)
def test_each_form_is_the_beginning_of_the_next(text):
    words = plain(text)
    assert words == " ".join(words.split())
    wording = Wording(text)
    forms = [wording.take(count) for count in range(wording.words + 1)]
    assert forms[0] == ""
    assert forms[wording.first_words] == first_sentence(text)
    assert forms[-1] == words
    assert all(words.startswith(form.removesuffix(ELLIPSIS)) for form in forms)
    assert sorted(map(len, forms)) == [*map(len, forms)]


@given(TEXTS, st.integers(-1, 60))
def test_a_clip_is_short_enough_and_cuts_nothing_in_two(text, most):
    shown = clipped(text, most)
    assert len(shown) <= max(0, most)
    if shown in {text, ""}:
        return
    assert shown.endswith(ELLIPSIS)
    kept = shown.removesuffix(ELLIPSIS)
    assert text.startswith(kept)
    before, after = kept[-1:], text[len(kept)]
    assert not ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
    assert not (before and unicodedata.combining(after))


# -- linear time ----------------------------------------------------------------------------------

HOSTILE = (
    "*", "**a", "*a ", "a* ", "_", "~~", "`", "` ", "``a`", "[", "![", "](", "](a", "](a(b)", '](a "', "[a](", "[a](b)",
    "<", "<a", "<a ", "</a", "<!--", "<!---->", "<https://", "&", "&#1", "\\", "#", "# ", "- ", "-\n", "> ", ">>",
    "|", "|-", "|-\n", "a|\n-|\n", "=\n", "a\n===\n", "```\n", "~~~a\n", "Args:", "Args:\n", ".", ". ", "a.", "A. ", "1. ",
    "...", '"', "(", ")", "。", "天", "天.", "天\u3099", "\u0301", "\ud83d", "\u200d", " ", "\n", "a", "a ",
)  # fmt: skip
MODULES = (markup, prose, shortening)


def every_form(text):
    wording = Wording(text)
    wording.take(wording.words // 2)
    clipped(text, len(text) // 2)
    clipped("x" + text, len(text) // 2)


def steps(text):
    """Return how many lines of the modules run."""
    files = {module.__file__ for module in MODULES}
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if frame.f_code.co_filename not in files:
            return None
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        every_form(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_work_is_in_proportion_to_the_length(piece):
    few, many = steps(piece * 200), steps(piece * 800)
    assert many <= 4 * few + 100


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_hostile_text_comes_to_an_end(piece):
    every_form(piece * (100_000 // len(piece)))


EXPRESSIONS = {
    f"{module.__name__}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_no_expression_gives_back_what_it_took(name):
    """A repeat without an end that backtracks can take exponential time."""
    assert not [*given_back(re._parser.parse(EXPRESSIONS[name].pattern, EXPRESSIONS[name].flags))]


def test_an_expression_that_gives_back_is_seen():
    assert [*given_back(re._parser.parse("(?:a|(b+))"))]
    assert not [*given_back(re._parser.parse("(?:a|(b++c{0,3}))"))]


def given_back(parsed):
    """Return the repeats without an end in an expression that are not possessive."""
    if isinstance(parsed, list | tuple | re._parser.SubPattern):
        for part in parsed:
            yield from given_back(part)
        is_repeat = len(parsed) == 2 and str(parsed[0]) in {"MAX_REPEAT", "MIN_REPEAT"}
        if is_repeat and parsed[1][1] is re._constants.MAXREPEAT:
            yield parsed


def test_a_cut_never_takes_a_whole_sentence_with_it():
    """`&` usually leads on to more, but here it is a whole paragraph."""
    wording = Wording("```\n&amp;\n- word")
    assert [wording.take(words) for words in range(wording.words + 1)][1:3] == ["&", "&"]
