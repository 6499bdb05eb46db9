"""Descriptions of tools: in the words of the view's author, else in a plain sentence."""

from __future__ import annotations

import pytest
from gateway_site.fields.asking import endpoint_at

from penstock.django.inputs import describe

DESCRIPTIONS = {
    "list": ("GET", "/pumps/", "List pumps."),
    "retrieve": ("GET", "/pumps/{pk}/", "Get a pump."),
    "create": ("POST", "/pumps/", "Create a pump."),
    "update": ("PUT", "/pumps/{pk}/", "Replace a pump."),
    "partial update": ("PATCH", "/pumps/{pk}/", "Change a pump."),
    "destroy": ("DELETE", "/pumps/{pk}/", "Delete a pump."),
    "docstring of the action": (
        "POST",
        "/pumps/{pk}/restart/",
        "Restart a pump.\n\nIt takes a moment.",
    ),
    "action on one": ("POST", "/pumps/{pk}/move/", "Move: an action on a pump."),
    "action on all": ("GET", "/pumps/cheapest/", "Cheapest: an action on pumps."),
    "description of the URL's": ("GET", "/typed/{pk}/", "Get one by number."),
    "section of the class": ("GET", "/places/", "Every place, by name."),
    "class without a section": (
        "GET",
        "/places/{slug}/",
        "Get a place. Where pumps stand.\n\nNote: only what is in use.",
    ),
    "class with one method": (
        "POST",
        "/overridden/",
        "A view with its own way of reading the body.",
    ),
    "class with two methods": ("GET", "/albums/", "List pumps. Pictures of pumps."),
    "class without HTML": ("GET", "/strict/", "Only of one place, if a < b."),
    "generic view": ("GET", "/limited/", "List pumps."),
    "generic view without a model": ("POST", "/orders/", "Post to orders."),
    "view without a model": ("GET", "/status/", "Get server status."),
    "action without a model": ("POST", "/states/", "Restart: an action on states."),
    "view of REST framework's own": ("GET", "/generic/", "List pumps."),
    "function": ("POST", "/told/", "Tell something, or be told."),
    "view that cannot be made": ("GET", "/refusing/{floor}/", "List refusing."),
}


@pytest.mark.parametrize(("method", "path", "text"), DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_descriptions(method, path, text):
    assert describe(endpoint_at(method, path)) == text
