"""Words in the search: forms of one word are the same, and different words differ."""

from __future__ import annotations

import pytest

from penstock.disclosure.texts import stems


@pytest.mark.parametrize(
    "forms",
    [
        "create creates created creating",
        "delete deletes deleted deleting",
        "move moves moved moving",
        "run runs running",
        "edit edits edited editing",
        "add adds added adding",
        "copy copies copied copying",
        "query queries querying",
        "cancel cancels cancelled canceled cancelling",
        "merge merges merged merging",
        "schedule schedules scheduled scheduling",
        "search searches searched searching",
        "install installs installed installing",
        "fix fixes fixed fixing",
        "show shows showed showing",
        "close closes closed closing",
        "branch branches",
        "address addresses",
        "status statuses",
        "database databases",
        "cookie cookies",
        "size sizes sized sizing",
        "box boxes",
        "id ids",
        "setting settings",
        "embed embeds embedded embedding",
        "alias aliases",
        "process processes processed processing",
    ],
)
def test_forms_of_one_word(forms):
    assert len({stems.stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "others",
    [
        "new news",
        "set setting",
        "car care",
        "plan plane",
        "not note",
        "string str",
        "fill file",
        "thing th",
        "feed fe",
        "bus bu",
        "build building",
        "need ne",
    ],
)
def test_other_words_stay_apart(others):
    assert len({stems.stem(word) for word in others.split()}) == 2


def test_relations_go_both_ways():
    relations = stems.relations()
    assert all(word in relations[other] for word, others in relations.items() for other in others)


@pytest.mark.parametrize("typo", ["calndar", "calenndar", "calenadr", "calandar", "alendar"])
def test_one_typo_away(typo):
    assert "calendar" in stems.one_typo_away(typo)
    assert "calendars" not in stems.one_typo_away(typo)
