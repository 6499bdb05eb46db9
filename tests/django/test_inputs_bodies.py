"""Schemas of request bodies, which agree with their serializers."""

from __future__ import annotations

import pytest
from gateway_site.fields import serializers as app
from gateway_site.fields.asking import call, inputs_at, is_valid, properties_at
from gateway_site.fields.models import Keeper, Label, Place, Pump
from gateway_site.fields.serializers import MoveSerializer, PartSerializer, PlaceSerializer
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.response import Response
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs import body_of, inputs_of
from penstock.django.inputs.files import SentFile

PUMP = {"name": "Alone", "serial": "AB1", "place": 1, "price": 9.5}
WHOLE_PUMP = {
    **PUMP,
    "price": "9.50",
    "status": 2,
    "drive": "",
    "keeper": None,
    "labels": [1],
    "flow": 1.25,
    "stages": 9,
    "turns": 12345678901,
    "built": "2024-05-01",
    "checked": "2024-05-01T10:00:00Z",
    "starts": "10:30",
    "runtime": "PT90M",
    "address": "10.0.0.1",
    "manual": "https://example.com/",
    "contact": "",
    "settings": {"any": ["thing"]},
    "is_spare": True,
}
ORDER = {
    "keeper": "00000000-0000-0000-0000-000000000007",
    "labels": [1],
    "parts": [{"name": "bolt", "number": 2}],
    "secret": "sesame",
}
ENDPOINTS = {
    "create": ("POST", "/pumps/", PUMP),
    "create with everything": ("POST", "/pumps/", WHOLE_PUMP),
    "replace": ("PUT", "/pumps/{pk}/", {"pk": 1, **PUMP}),
    "change": ("PATCH", "/pumps/{pk}/", {"pk": 1, "name": "Other"}),
    "change nothing": ("PATCH", "/pumps/{pk}/", {"pk": 1}),
    "replace with a name of the path": (
        "PUT",
        "/places/{slug}/",
        {"slug": "hall", "body_slug": "cellar", "name": "Cellar"},
    ),
    "nested": ("POST", "/orders/", ORDER),
    "nested null": ("POST", "/orders/", {**ORDER, "spare": None}),
    "many": ("POST", "/many/", {"items": [PUMP, {**PUMP, "serial": "AB2"}]}),
    "serializer of the action": ("POST", "/pumps/{pk}/move/", {"pk": 1, "place": "hall"}),
    "serializer in the code": ("POST", "/pumps/{pk}/carry/", {"pk": 1, "place": "hall"}),
    "function": ("POST", "/told/", {"name": "bolt", "number": 2}),
    "no body": ("POST", "/pumps/{pk}/restart/", {"pk": 1}),
    "without end": ("POST", "/trees/", {"name": "a", "children": [{"name": "b"}]}),
}


@pytest.fixture
def plant(db):
    hall = Place.objects.create(pk=1, slug="hall", name="Hall")
    Keeper.objects.create(pk="00000000-0000-0000-0000-000000000007", name="Ada")
    Label.objects.create(pk=1, name="old")
    Pump.objects.create(pk=1, name="First", serial="AA1", place=hall, price=1)


@pytest.mark.usefixtures("plant")
@pytest.mark.parametrize(("method", "path", "arguments"), ENDPOINTS.values(), ids=ENDPOINTS)
def test_what_the_schema_takes_the_view_takes(method, path, arguments):
    assert is_valid(arguments, inputs_at(method, path))
    answer = call(method, path, arguments)
    assert answer.status_code < 300, answer.data


@pytest.mark.usefixtures("plant")
@pytest.mark.parametrize(("method", "path", "arguments"), ENDPOINTS.values(), ids=ENDPOINTS)
def test_what_is_required_is_required_by_both(method, path, arguments):
    inputs = inputs_at(method, path)
    for name in inputs.schema.get("required", ()):
        rest = {key: value for key, value in arguments.items() if key != name}
        assert not is_valid(rest, inputs)
        if inputs.places[name].where == "body" and not inputs.is_list:
            assert call(method, path, rest).status_code == 400, name


REFUSED = {
    "too long": ("POST", "/pumps/", {**PUMP, "name": "x" * 81}),
    "pattern": ("POST", "/pumps/", {**PUMP, "serial": "1"}),
    "choice": ("POST", "/pumps/", {**PUMP, "status": 3}),
    "too low": ("POST", "/pumps/", {**PUMP, "stages": 0}),
    "too high": ("POST", "/pumps/", {**PUMP, "stages": 10}),
    "null": ("POST", "/pumps/", {**PUMP, "name": None}),
    "type": ("POST", "/pumps/", {**PUMP, "labels": 1}),
    "wrong change": ("PATCH", "/pumps/{pk}/", {"pk": 1, "stages": 0}),
    "empty list": ("POST", "/orders/", {**ORDER, "labels": []}),
    "no parts": ("POST", "/orders/", {**ORDER, "parts": []}),
    "nested required": ("POST", "/orders/", {**ORDER, "parts": [{"name": "bolt"}]}),
    "nested too low": ("POST", "/orders/", {**ORDER, "parts": [{"name": "bolt", "number": 0}]}),
    "too short": ("POST", "/orders/", {**ORDER, "secret": "abc"}),
    "one of many": ("POST", "/many/", {"items": [PUMP, {"name": "x"}]}),
}


@pytest.mark.usefixtures("plant")
@pytest.mark.parametrize(("method", "path", "arguments"), REFUSED.values(), ids=REFUSED)
def test_what_the_schema_refuses_the_view_refuses(method, path, arguments):
    assert not is_valid(arguments, inputs_at(method, path))
    assert call(method, path, arguments).status_code == 400


def test_each_action_has_its_own_serializer():
    assert "flow" in properties_at("POST", "/pumps/")
    assert "flow" not in properties_at("PUT", "/pumps/{pk}/")


def test_read_only_fields_are_not_asked_for_and_write_only_ones_are():
    assert not properties_at("POST", "/pumps/").keys() & {"id", "created"}
    found = properties_at("POST", "/orders/")
    assert "total" not in found
    assert found["secret"] == {"type": "string", "minLength": 4}


def test_relations_are_known_by_what_they_refer_to():
    found = properties_at("POST", "/pumps/")
    assert found["place"] == {"type": "integer"}
    assert found["keeper"] == {"type": ["string", "null"], "format": "uuid"}
    assert found["labels"] == {"type": "array", "items": {"type": "integer"}}


def test_a_list_is_one_argument():
    inputs = inputs_at("POST", "/many/")
    assert inputs.is_list
    assert inputs.schema["required"] == ["items"]
    assert body_of({"items": [PUMP]}, inputs) == [PUMP]
    assert body_of({}, inputs) == []


def test_a_serializer_that_holds_itself_has_an_end():
    found = properties_at("POST", "/trees/")
    assert found["children"] == {"type": "array", "items": {"type": "object"}}


FILE = {
    "type": "object",
    "properties": {
        "filename": {"type": "string", "minLength": 1},
        "text": {"type": "string"},
        "base64": {"type": "string", "contentEncoding": "base64"},
    },
    "required": ["filename"],
    "additionalProperties": False,
    "minProperties": 2,
    "maxProperties": 2,
    "description": "A file: its text or its base64. Either may be @result: and a token.",
}


def test_files_go_with_a_form():
    inputs = inputs_at("POST", "/pictures/")
    assert inputs.schema["properties"] == {
        "title": {"type": "string"},
        "picture": FILE,
        "scans": {"type": "array", "items": FILE},
    }
    assert inputs.schema["required"] == ["title", "picture"]
    given = {"title": "a", "picture": {"filename": "a.png", "base64": "AQI="}, "scans": []}
    assert body_of(given, inputs)["picture"] == SentFile("a.png", b"\1\2")


BAD_FILES = {
    "without a name": {"text": "a"},
    "without content": {"filename": "a"},
    "with two contents": {"filename": "a", "text": "a", "base64": "YQ=="},
    "a text": "YQ==",
}


@pytest.mark.parametrize("file", BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_has_a_name_and_one_content(file):
    assert not is_valid({"title": "a", "picture": file}, inputs_at("POST", "/pictures/"))


FILES = {
    "at the top": ("/json-pictures/", "Files cannot be sent here: picture (required), scans."),
    "nested": (
        "/albums/",
        "Files cannot be sent here: pictures.picture (required), pictures.scans.",
    ),
}


@pytest.mark.parametrize(("path", "note"), FILES.values(), ids=FILES)
def test_files_are_not_asked_for_and_the_reader_is_told(path, note):
    inputs = inputs_at("POST", path)
    assert inputs.schema["description"] == note
    assert "picture" not in inputs.schema["properties"]
    assert "picture" not in inputs.schema["required"]


OPEN = {
    "an action of which nothing shows": ("POST", "/pumps/{pk}/restart/", ["pk"]),
    "a serializer that reads in its own way": ("POST", "/freely/", []),
    "a view that does not use its serializer": ("POST", "/overridden/", []),
    "a DELETE that reads a body": ("DELETE", "/discards/", []),
}


@pytest.mark.parametrize(("method", "path", "required"), OPEN.values(), ids=OPEN)
def test_a_body_is_open_where_it_is_not_known(method, path, required):
    inputs = inputs_at(method, path)
    assert inputs.schema["additionalProperties"] is True
    assert inputs.schema.get("required", []) == required
    assert inputs.rest == "body"


def test_what_is_not_known_goes_into_the_body():
    assert call("POST", "/overridden/", {"slug": "a", "more": [1]}).data == {
        "slug": "a",
        "more": [1],
    }
    assert call("DELETE", "/discards/", {"ids": [1, 2]}).data == {"discarded": [1, 2]}


class ByCode(serializers.BaseSerializer):
    def to_internal_value(self, data):
        return data


class Plain(APIView):
    def post(self, request):
        made = self.serializer_class(data=request.data)
        made.is_valid()
        return Response()


VIEWS = {
    "code instead of fields": ({"serializer_class": ByCode}, set(), "body"),
    "class of a plain view": ({"serializer_class": MoveSerializer}, {"place", "reason"}, None),
    "class by code": (
        {"get_serializer_class": lambda self: MoveSerializer},
        {"place", "reason"},
        None,
    ),
    "nothing": ({}, set(), "body"),
}


@pytest.mark.parametrize(("attributes", "names", "rest"), VIEWS.values(), ids=VIEWS)
def test_a_plain_view_with_the_attributes_of_a_generic_one(attributes, names, rest):
    made = type("Made", (Plain,), attributes)
    inputs = inputs_of(Endpoint("/made/", "POST", made.as_view()))
    assert inputs.places.keys() == names
    assert inputs.rest == rest


class Idioms(viewsets.GenericViewSet):
    """Actions whose code uses serializers in different ways."""

    queryset = Place.objects.all()
    serializer_class = PlaceSerializer

    def the_view_s(self, request):
        made = self.get_serializer(data=request.data)
        made.is_valid()

    def the_view_s_before_another(self, request):
        made = self.get_serializer(data=request.data)
        made.is_valid()
        return Response(PartSerializer(made.save()).data)

    def another_before_the_view_s(self, request):
        made = PartSerializer(data=request.data)
        made.is_valid()
        return Response(self.get_serializer(made.save()).data)

    def another_of_a_module(self, request):
        made = app.MoveSerializer(data=request.data)
        made.is_valid()
        return Response(PlaceSerializer(made.save()).data)

    def only_for_the_answer(self, request):
        return Response(self.get_serializer(self.get_object()).data)

    def a_list(self, request):
        made = self.get_serializer(data=request.data, many=True)
        made.is_valid()

    def a_list_of_another(self, request):
        made = PartSerializer(data=request.data, many=True)
        made.is_valid()

    def a_list_or_not(self, request):
        made = self.get_serializer(data=request.data, many=isinstance(request.data, list))
        made.is_valid()

    def a_list_in_the_answer(self, request):
        made = self.get_serializer(data=request.data)
        made.is_valid()
        return Response(self.get_serializer(self.get_queryset(), many=True).data)

    def out_of_sight(self, request):
        made = self.checked(request)
        made.is_valid()

    @action(detail=False, methods=["post"], serializer_class=PartSerializer)
    def decorated_for_the_answer(self, request):
        return Response(self.get_serializer(self.get_object()).data)


PLACE, PART, MOVE = {"slug", "name"}, {"name", "number", "weight"}, {"place", "reason"}
IDIOMS = {
    "the_view_s": (PLACE, False),
    "the_view_s_before_another": (PLACE, False),
    "another_before_the_view_s": (PART, False),
    "another_of_a_module": (MOVE, False),
    "only_for_the_answer": (set(), True),
    "a_list": ({"items"}, False),
    "a_list_of_another": ({"items"}, False),
    "a_list_or_not": (PLACE, False),
    "a_list_in_the_answer": (PLACE, False),
    "out_of_sight": (set(), True),
    "decorated_for_the_answer": (PART, True),
}


@pytest.mark.parametrize(("name", "known"), IDIOMS.items(), ids=IDIOMS)
def test_which_serializer_an_action_reads_with(name, known):
    names, is_open = known
    options = getattr(getattr(Idioms, name), "kwargs", {})
    inputs = inputs_of(Endpoint("/made/", "POST", Idioms.as_view({"post": name}, **options)))
    assert inputs.places.keys() == names
    assert inputs.is_list == (names == {"items"})
    assert inputs.schema["additionalProperties"] is is_open
    assert bool(inputs.schema.get("required")) is not is_open


CLOSED = {
    "create": ("POST", "/pumps/"),
    "action": ("POST", "/pumps/{pk}/move/"),
    "delete": ("DELETE", "/pumps/{pk}/"),
}


@pytest.mark.parametrize(("method", "path"), CLOSED.values(), ids=CLOSED)
def test_all_is_refused_that_is_surely_unknown(method, path):
    inputs = inputs_at(method, path)
    assert inputs.schema["additionalProperties"] is False
    assert inputs.rest is None
