"""Names of arguments: unique, accepted by hosts, and traceable to their places."""

from __future__ import annotations

import re

import pytest

from penstock.django.inputs import InputPlace
from penstock.django.inputs.naming import assembled
from penstock.django.inputs.values import Argument, InputPart

TEXT = {"type": "string"}


def part(where, *names):
    return InputPart(tuple(Argument(InputPlace(where, name), TEXT) for name in names))


NAMES = {
    "apart": ((["a"], ["b"], ["c"]), ["a", "b", "c"]),
    "path and body": ((["pk"], [], ["pk"]), ["pk", "body_pk"]),
    "path and query": ((["pk"], ["pk"], []), ["pk", "filter_pk"]),
    "all": ((["pk"], ["pk"], ["pk"]), ["pk", "filter_pk", "body_pk"]),
    "query and body": (([], ["a"], ["a"]), ["a", "body_a"]),
    "the new name too": ((["pk", "body_pk"], [], ["pk"]), ["pk", "body_pk", "body_pk_2"]),
    "the next one too": (
        (["pk", "body_pk", "body_pk_2"], [], ["pk"]),
        ["pk", "body_pk", "body_pk_2", "body_pk_3"],
    ),
    "brackets": (([], ["filter[name]"], []), ["filter_name"]),
    "brackets that become another's": (([], ["a[b]", "a[b"], []), ["a_b", "filter_a_b"]),
    "dots and dashes": (([], ["a.b-c"], []), ["a.b-c"]),
    "letters that hosts refuse": (([], ["größe", "é"], []), ["gr_e", "_"]),
    "Penstock's own": (([], ["query", "mode", "page"], []), ["query", "mode", "page"]),
}


@pytest.mark.parametrize(("given", "names"), NAMES.values(), ids=NAMES)
def test_names(given, names):
    path, query, body = given
    inputs = assembled(part("path", *path), part("query", *query), part("body", *body))
    assert list(inputs.schema["properties"]) == names
    wheres = ["path"] * len(path) + ["query"] * len(query) + ["body"] * len(body)
    places = [InputPlace(*both) for both in zip(wheres, path + query + body, strict=True)]
    assert list(inputs.places.values()) == places


def test_long_names_are_cut_and_stay_apart():
    names = [f"{'station__' * 9}{end}" for end in ("a", "b")]
    inputs = assembled(InputPart(), part("query", *names), InputPart())
    assert len(inputs.places) == 2
    assert all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name) for name in inputs.places)
    assert [place.name for place in inputs.places.values()] == names


def test_a_whole_body_that_is_no_list():
    whole = InputPart((Argument(InputPlace("body", ""), TEXT, is_required=True),))
    inputs = assembled(part("path", "body"), InputPart(), whole)
    assert list(inputs.places) == ["body", "body_body"]
    assert not inputs.is_list
