"""Directories of names, in a limited space."""

import pytest

from penstock.disclosure.directory import directory

NAMES = [
    *(f"github_{verb}_issue" for verb in ("create", "close", "list", "label", "lock")),
    *(f"slack_{verb}" for verb in ("post", "read", "search")),
    "listFiles",
    "listFolders",
    "ping",
]


def within(limit):
    return lambda text: len(text) <= limit


def test_every_name_where_they_fit():
    assert directory(NAMES, within(1_000)) == ", ".join(NAMES)


def test_groups_with_some_of_their_names():
    told = directory(NAMES, within(150))
    assert len(told) <= 150
    assert "github… (5): github_create_issue" in told
    assert "and" in told


def test_groups_alone():
    assert directory(NAMES, within(60)) == "github… (5); slack… (3); list… (2); other… (1)"


def test_the_first_groups_and_how_many_more():
    assert directory(NAMES, within(26)) == "github… (5); and 6 more"


@pytest.mark.parametrize("limit", range(0, 400, 7))
def test_never_over(limit):
    assert len(directory(NAMES, within(limit))) <= limit


def test_no_room_at_all():
    assert directory(NAMES, within(3)) == ""


def test_no_names():
    assert directory([], within(100)) == ""


@pytest.mark.parametrize("name", ["", "_", "__init__", "-", "a.b/c:d", "名前_読む"])
def test_odd_names(name):
    assert isinstance(directory([name, name + "x", "other"] * 40, within(50)), str)
