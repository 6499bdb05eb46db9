"""Directories of names, in a limited space."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json import rawjson
from penstock.disclosure.lists.directory import all_names, directory, legend

NAMES = [
    *(f"github_{verb}_issue" for verb in ("create", "close", "list", "label", "lock")),
    *(f"slack_{verb}" for verb in ("post", "read", "search")),
    "listFiles",
    "listFolders",
    "ping",
]
LEGEND = "a_(b c) for a_b and a_c"
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s()";]+|[()]')


def within(limit):
    return lambda text: len(text) <= limit


def everything(_text):
    return True


def of(names, fits=everything):
    """Return a directory without its legend."""
    told = directory(names, fits)
    return told.removeprefix(f"{LEGEND}, (a b)_c for a_c and b_c: ").removeprefix(f"{LEGEND}: ")


def test_a_directory_explains_itself():
    assert directory(NAMES, everything).startswith("a_(b c) for a_b and a_c: github_(create_issue")
    assert directory(["get", "put"], everything) == "get put"


def spelled_out(text):
    """Return the names that a directory stands for, read as its legend says."""
    pieces = _PIECE.findall(text)
    names, at = _names(pieces, 0)
    assert at == len(pieces)
    return names


def _names(pieces, at):
    found = []
    while at < len(pieces) and pieces[at] != ")":
        beginning = "" if pieces[at] == "(" else pieces[at]
        at += pieces[at] != "("
        if at < len(pieces) and pieces[at] == "(":
            inner, at = _names(pieces, at + 1)
            found += [beginning + name for name in inner]
            at += 1
        else:
            found.append(rawjson.decode(beginning.encode()) if beginning[0] == '"' else beginning)
    return found, at


def test_names_that_begin_alike_are_written_together():
    assert of(NAMES) == (
        "github_(create_issue close_issue list_issue label_issue lock_issue) "
        "slack_(post read search) listFiles listFolders ping"
    )


def test_groups_inside_groups():
    names = [f"jira_{verb}_{what}" for verb in ("get", "add") for what in ("a", "b", "c")]
    assert of(names) == "jira_(get_(a b c) add_(a b c))"


def test_what_all_share_is_written_once():
    assert of([f"TwilioApiV2010--{verb}Call" for verb in ("Create", "List", "Get")]) == (
        "TwilioApiV2010--(CreateCall ListCall GetCall)"
    )


def test_a_name_that_begins_another_stays_whole():
    assert of(["search", "search_users", "search_files", "search_all"]) == (
        "search search_(users files all)"
    )


def test_a_common_ending_is_written_once_where_the_room_is_short():
    verbs = [*map(chr, range(97, 123))]
    told = of([f"orders_{verb}V1" for verb in verbs], within(130))
    assert told == f"(orders_({' '.join(verbs)}))V1"


def test_sections_have_headings():
    told = all_names({"Read-only": ["get", "list"], "others": ["put"], "none": []}, everything)
    assert told == "Read-only: get list; others: put"


def test_details_behind_names():
    behind = {"slack_post": "[text*]", "slack_read": "[]"}
    names = {"": ["slack_post", "slack_read", "slack_x"]}
    assert all_names(names, everything, [behind]) == "slack_(post[text*] read[] x)"


def test_details_that_do_not_fit_are_left_out():
    rich, poor = {"ping": "[" + "x" * 90 + "]"}, {"ping": "[host]"}
    assert all_names({"": ["ping"]}, within(30), [rich, poor]) == "ping[host]"
    assert all_names({"": ["ping"]}, within(6), [rich, poor]) == "ping"


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("get put", ""),
        ("a_(b c)", "a_(b c) for a_b and a_c"),
        ("(a_(b c) d)V1", "a_(b c) for a_b and a_c, (a b)_c for a_c and b_c"),
        ("get[path] put[]", "parameters in []"),
    ],
)
def test_the_legend_explains_what_there_is(names, told):
    assert legend(names) == told


BEGINNINGS = ("a_b (c)_", "svc_x; others: y_", "list", "list_", "get_all", "x-", "[a]_", "A.b/")


@given(
    st.lists(st.tuples(st.sampled_from(BEGINNINGS), st.text("ab_ (V1", max_size=4)), max_size=60)
)
def test_names_with_common_beginnings_can_be_read_back(parts):
    names = [*dict.fromkeys(beginning + rest for beginning, rest in parts)]
    assert sorted(spelled_out(of(names))) == sorted(names)


def test_an_unclear_ending_is_no_ending():
    names = [f"x{n}_get all" for n in range(25)]
    assert all_names({"": names}, within(len(of(names)) - 1)) == ""


@given(st.lists(st.text('abAB_-./: ()";1', min_size=1, max_size=12), unique=True, max_size=40))
def test_every_name_can_be_read_back(names):
    assert sorted(spelled_out(of(names))) == sorted(names)


def test_counts_where_not_even_the_names_fit():
    assert of(NAMES, within(60)) == ("github_… (5); slack_… (3); list… (2); ping… (1)")


def test_the_first_words_and_how_many_more():
    assert of(NAMES, within(26)) == "github_… (5); and 6 more"


@pytest.mark.parametrize("limit", range(0, 400, 7))
def test_never_over(limit):
    assert len(of(NAMES, within(limit))) <= limit


def test_no_room_at_all():
    assert of(NAMES, within(3)) == ""


def test_no_names():
    assert of([], within(100)) == ""


@pytest.mark.parametrize("name", ["", "_", "__init__", "-", "a.b/c:d", "名前_読む"])
def test_odd_names(name):
    assert isinstance(of([name, name + "x", "other"] * 40, within(50)), str)
