"""The arguments of a list: every kind of filter, in the schema and in the view."""

from __future__ import annotations

import datetime as dt
import uuid

import pytest
from gateway_site.fields.asking import call, inputs_at, is_valid, properties_at
from gateway_site.fields.models import Keeper, Label, Place, Pump

from penstock.django.inputs import InputPlace as Spot
from penstock.django.inputs import Inputs, query_pairs

KEEPER = uuid.UUID(int=7)
TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
DATE = {"type": "string", "format": "date"}
UUID = {"type": "string", "format": "uuid"}
INTEGERS = {"type": ["array", "integer"], "items": INTEGER}
DRIVES = {"type": ["array", "string"], "items": {"type": "string", "enum": ["electric", "diesel"]}}
SORTING = "Fields to sort by, separated by commas; - before a name for descending order."
FILTERS = {
    "name": TEXT,
    "name__icontains": TEXT,
    "status": {"type": "integer", "enum": [1, 2], "description": "1: Planned, 2: In service"},
    "status__in": INTEGERS,
    "stages__gte": INTEGER,
    "stages__range": {"type": "array", "items": INTEGER, "minItems": 2, "maxItems": 2},
    "keeper": UUID,
    "keeper__isnull": {"type": "boolean"},
    "checked__gt": {"type": "string", "format": "date-time"},
    "checked__year": NUMBER,
    "runtime__lt": {"type": "string", "format": "duration"},
    "max_price": {**NUMBER, "description": "Net price in euros is less than or equal to"},
    "not_at": {**TEXT, "description": "Exclude place slug"},
    "called": {**TEXT, "description": "A part of the name."},
    "old": {"type": "boolean", "description": "Built before 2000"},
    "price_between_min": {**NUMBER, "description": "Net price in euros"},
    "price_between_max": {**NUMBER, "description": "Net price in euros"},
    "stage_range_min": {**INTEGER, "description": "Stages"},
    "stage_range_max": {**INTEGER, "description": "Stages"},
    "built_between_after": {**DATE, "description": "Built"},
    "built_between_before": {**DATE, "description": "Built"},
    "when": {
        "type": "string",
        "enum": ["today", "yesterday", "week", "month", "year"],
        "description": "Built. week: Past 7 days, month: This month, year: This year",
    },
    "drive_any": {**DRIVES, "description": "Drive"},
    "drive_csv": {**DRIVES, "description": "Drive"},
    "drive_array": {**DRIVES, "description": "Drive"},
    "seen_drive": {**TEXT, "description": "Drive"},
    "spare": {
        "type": "string",
        "enum": ["True", "False"],
        "description": "Is spare. True: yes, False: no",
    },
    "label": {"type": ["array", "string"], "items": TEXT, "description": "Labels name"},
    "stages_any": {**INTEGERS, "description": "Stages"},
    "built_any": {**DATE, "description": "Built"},
    "has_keeper": {"type": "boolean"},
    "kept_by": {**UUID, "description": "Keeper"},
    "kept_or_not": {"anyOf": [UUID, {"enum": ["null"]}], "description": "Keeper"},
    "turned": {**INTEGER, "description": "Turns"},
    "turned_lookup": {"type": "string", "enum": ["gt", "lt"]},
    "at": {**TEXT, "description": "Place"},
    "sort": {
        "type": "string",
        "pattern": "^(-?(name|cost)(, *|$))+$",
        "description": SORTING,
    },
    "search": {**TEXT, "description": "Words to look for in name, serial, place__name."},
    "ordering": {
        "type": "string",
        "pattern": "^(-?(name|price)(, *|$))+$",
        "description": SORTING,
        "default": "-price",
    },
}


@pytest.mark.parametrize(("name", "schema"), FILTERS.items(), ids=FILTERS)
def test_each_filter_is_told(name, schema):
    assert properties_at("GET", "/pumps/")[name] == schema


def test_nothing_else_can_be_asked_for():
    inputs = inputs_at("GET", "/pumps/")
    assert inputs.schema["properties"].keys() == FILTERS.keys()
    assert is_valid({}, inputs)
    assert not is_valid({"nmae": "a"}, inputs)


@pytest.fixture
def pumps(db):
    hall = Place.objects.create(slug="hall", name="Hall")
    keeper = Keeper.objects.create(id=KEEPER, name="Ada")
    deep, old = (Label.objects.create(name=name) for name in ("deep", "old"))
    alone = Pump.objects.create(
        name="Alone",
        serial="AB1",
        place=hall,
        price=10,
        status=1,
        drive="electric",
        stages=2,
        turns=5,
        built=dt.date(1990, 5, 1),
        checked=dt.datetime(2024, 5, 1, tzinfo=dt.UTC),
        runtime=dt.timedelta(hours=1),
    )
    busy = Pump.objects.create(
        name="Busy",
        serial="AB2",
        place=hall,
        price=20,
        status=2,
        drive="diesel",
        stages=4,
        turns=50,
        keeper=keeper,
        is_spare=True,
        built=dt.datetime.now(tz=dt.UTC).date(),
        checked=dt.datetime(2025, 5, 1, tzinfo=dt.UTC),
        runtime=dt.timedelta(hours=9),
    )
    alone.labels.add(old)
    busy.labels.add(old, deep)


ASKED = {
    "exact": ({"name": "Alone"}, ["Alone"]),
    "part": ({"name__icontains": "bu"}, ["Busy"]),
    "choice": ({"status": 2}, ["Busy"]),
    "list": ({"status__in": [1, 2]}, ["Busy", "Alone"]),
    "list of one": ({"status__in": [1]}, ["Alone"]),
    "no list at all": ({"status__in": []}, ["Busy", "Alone"]),
    "null": ({"name": None}, ["Busy", "Alone"]),
    "at least": ({"stages__gte": 4}, ["Busy"]),
    "at least, as JSON may have it": ({"stages__gte": 4.0}, ["Busy"]),
    "range": ({"stages__range": [1, 3]}, ["Alone"]),
    "key": ({"keeper": str(KEEPER)}, ["Busy"]),
    "is null": ({"keeper__isnull": True}, ["Alone"]),
    "is not null": ({"keeper__isnull": False}, ["Busy"]),
    "moment": ({"checked__gt": "2025-01-01T00:00:00Z"}, ["Busy"]),
    "year": ({"checked__year": 2024}, ["Alone"]),
    "duration": ({"runtime__lt": "PT2H"}, ["Alone"]),
    "another column than the key": ({"at": "hall"}, ["Busy", "Alone"]),
    "queryset by who asks": ({"kept_by": str(KEEPER)}, ["Busy"]),
    "lookup": ({"max_price": 15.5}, ["Alone"]),
    "exclusion": ({"not_at": "hall"}, []),
    "help text": ({"called": "LON"}, ["Alone"]),
    "method": ({"old": True}, ["Alone"]),
    "number pair": ({"price_between_min": 11, "price_between_max": 30}, ["Busy"]),
    "integer pair": ({"stage_range_min": 3}, ["Busy"]),
    "date pair": ({"built_between_before": "2000-01-01"}, ["Alone"]),
    "span": ({"when": "year"}, ["Busy"]),
    "repeated": ({"drive_any": ["diesel", "electric"]}, ["Busy", "Alone"]),
    "with commas": ({"drive_csv": ["diesel", "electric"]}, ["Busy", "Alone"]),
    "array": ({"drive_array": ["diesel", "electric"]}, ["Busy", "Alone"]),
    "one instead of a list": ({"drive_any": "diesel"}, ["Busy"]),
    "one instead of a list with commas": ({"status__in": 1}, ["Alone"]),
    "several numbers": ({"stages_any": [2, 4]}, ["Busy", "Alone"]),
    "one of several numbers": ({"stages_any": 4}, ["Busy"]),
    "a list that reads one value": ({"built_any": "1990-05-01"}, ["Alone"]),
    "has, by code of its own": ({"has_keeper": True}, ["Busy"]),
    "value that occurs": ({"seen_drive": "diesel"}, ["Busy"]),
    "typed choice": ({"spare": "True"}, ["Busy"]),
    "names of related": ({"label": ["deep"]}, ["Busy"]),
    "null by its name": ({"kept_or_not": "null"}, ["Alone"]),
    "chosen lookup": ({"turned": 10, "turned_lookup": "gt"}, ["Busy"]),
    "words": ({"search": "ab2"}, ["Busy"]),
    "sorted": ({"ordering": "price,-name"}, ["Alone", "Busy"]),
}


@pytest.mark.usefixtures("pumps")
@pytest.mark.parametrize(("arguments", "names"), ASKED.values(), ids=ASKED)
def test_each_filter_works_as_it_is_told(arguments, names):
    given = {name: value for name, value in arguments.items() if value is not None}
    assert is_valid(given, inputs_at("GET", "/pumps/"))
    answer = call("GET", "/pumps/", arguments)
    assert answer.status_code == 200, answer.data
    assert [row["name"] for row in answer.data["results"]] == names


REFUSED = {
    "required": ("/strict/", {}),
    "choice": ("/pumps/", {"status": 3}),
    "range of one": ("/pumps/", {"stages__range": [1]}),
    "lookup": ("/pumps/", {"turned": 1, "turned_lookup": "eq"}),
    "field to sort by": ("/pumps/", {"sort": "weight"}),
}


@pytest.mark.usefixtures("pumps")
@pytest.mark.parametrize(("path", "arguments"), REFUSED.values(), ids=REFUSED)
def test_what_the_schema_refuses_the_filters_refuse(path, arguments):
    assert not is_valid(arguments, inputs_at("GET", path))
    assert call("GET", path, arguments).status_code == 400


ORDERINGS = {"name": True, "-price": True, "name,-price": True, "name, price": True}
ORDERINGS |= {"": False, "nam": False, "nameprice": False, "--name": False, "weight": False}


@pytest.mark.parametrize(("ordering", "is_known"), ORDERINGS.items(), ids=ORDERINGS)
def test_only_known_fields_sort(ordering, is_known):
    """The site would silently ignore an unknown field."""
    inputs = inputs_at("GET", "/pumps/")
    assert is_valid({"ordering": ordering}, inputs) == is_known


def test_sorting_by_default_is_by_what_the_serializer_shows():
    found = properties_at("GET", "/places/")["ordering"]
    assert found["pattern"] == "^(-?(id|slug|name)(, *|$))+$"


def test_an_action_that_filters_has_the_filters():
    assert properties_at("GET", "/pumps/cheapest/") == properties_at("GET", "/pumps/")


def test_an_action_that_pages_other_rows_has_none_of_the_filters():
    assert properties_at("GET", "/pumps/{pk}/places/").keys() == {"pk"}
    paged = properties_at("GET", "/pumps/{pk}/places/", with_pagination=True)
    assert paged.keys() == {"pk", "page", "page_size"}


OPEN = {
    "its code reads the query string": ("/pumps/statistics/", True),
    "its code is a site's own": ("/status/", True),
    "its backend reads the query string": ("/silently/", True),
    "all is REST framework's": ("/pumps/{pk}/", False),
    "its list is REST framework's": ("/limited/", False),
}


@pytest.mark.parametrize(("path", "is_open"), OPEN.values(), ids=OPEN)
def test_a_query_is_open_where_it_is_not_known(path, is_open):
    inputs = inputs_at("GET", path)
    assert inputs.schema["additionalProperties"] is is_open
    assert inputs.rest == ("query" if is_open else None)


def test_what_is_not_known_goes_into_the_query():
    arguments = {"days": 3}
    assert query_pairs(arguments, inputs_at("GET", "/pumps/statistics/")) == [("days", "3")]
    assert call("GET", "/pumps/statistics/", arguments).data == {"days": "3"}


PAGES = {
    "by number": ("/pumps/", {"page", "page_size"}),
    "by limit": ("/limited/", {"limit", "offset"}),
    "not a list": ("/pumps/{pk}/", set()),
    "not paged": ("/places/", set()),
}


@pytest.mark.parametrize(("path", "names"), PAGES.values(), ids=PAGES)
def test_pages_are_told_on_demand(path, names):
    without = properties_at("GET", path)
    with_pages = properties_at("GET", path, with_pagination=True)
    assert with_pages.keys() - without.keys() == names
    assert not without.keys() & names


def test_a_backend_that_speaks_for_itself():
    inputs = inputs_at("GET", "/worded/")
    assert inputs.schema["properties"] == {
        "ids": INTEGERS,
        "any": INTEGERS,
        "near_km": {"type": ["number", "null"]},
        "within": {"type": "object"},
    }
    assert inputs.places["near_km"] == Spot("query", "near[km]")
    arguments = {"ids": [1, 2], "any": [3, 4], "near_km": 1.5, "within": {"x": 1, "y": True}}
    assert query_pairs(arguments, inputs) == [
        ("ids", "1,2"),
        ("any", "3|4"),
        ("near[km]", "1.5"),
        ("within[x]", "1"),
        ("within[y]", "true"),
    ]


def in_query(style):
    return Inputs({"type": "object", "properties": {}}, {"a": Spot("query", "b", style)})


WRITTEN = {
    "text": ("plain", "x y", [("b", "x y")]),
    "empty text": ("plain", "", [("b", "")]),
    "boolean": ("plain", False, [("b", "false")]),
    "number": ("plain", 1.5, [("b", "1.5")]),
    "object": ("plain", {"k": [1]}, [("b", '{"k":[1]}')]),
    "list": ("plain", [1, 2], [("b", "1"), ("b", "2")]),
    "repeated": ("repeat", [True, "x"], [("b", "true"), ("b", "x")]),
    "with commas": ("csv", [1, "x"], [("b", "1,x")]),
    "text for a list": ("csv", "1,2", [("b", "1,2")]),
    "with spaces": ("spaces", ["x", "y"], [("b", "x y")]),
    "no entries": ("csv", [], []),
    "no entries to repeat": ("repeat", [], []),
    "null": ("plain", None, []),
}


@pytest.mark.parametrize(("style", "value", "pairs"), WRITTEN.values(), ids=WRITTEN)
def test_native_values_in_a_query_string(style, value, pairs):
    assert query_pairs({"a": value}, in_query(style)) == pairs
