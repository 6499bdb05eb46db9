"""Descriptions of tools: in the words of the view's author, else in a plain sentence."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any, Final

from rest_framework.generics import GenericAPIView
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.code_names import is_frameworks
from penstock.django.inputs.documented import inspector_of
from penstock.django.inputs.faults import quietly
from penstock.django.inputs.handlers import handler_of, reads_list
from penstock.django.inputs.views import model_of, title_of, view_of
from penstock.django.inputs.wording import joined, without_tags

# `list: Every device.` in the docstring of a class describes one of its actions.
_SECTION: Final = re.compile(r"([a-zA-Z]\w*):(.*)")
_SENTENCES: Final = {
    "list": "List {many}.",
    "retrieve": "Get {one}.",
    "create": "Create {one}.",
    "update": "Replace {one}.",
    "partial_update": "Change {one}.",
    "destroy": "Delete {one}.",
}
_ACTIONS: Final = {
    "get": "retrieve",
    "post": "create",
    "put": "update",
    "patch": "partial_update",
    "delete": "destroy",
}
_VERBS: Final = {"GET": "Get", "POST": "Post to", "PUT": "Replace", "PATCH": "Change"}


def describe(endpoint: Endpoint) -> str:
    """Return the description of the endpoint's tool, as plain text."""
    view = quietly(lambda: view_of(endpoint))
    sentence = quietly(lambda: _sentence(endpoint, view)) or _sentence_of_view(endpoint)
    if view is None:
        return sentence
    return (
        quietly(lambda: _documented(endpoint, view))
        or _text(_said_of_action(endpoint))
        or quietly(lambda: _said_of_view(endpoint, view, sentence))
        or sentence
    )


def _documented(endpoint: Endpoint, view: APIView) -> str:
    """Return what developers declared to drf-spectacular. Docstrings are read elsewhere here."""
    inspector = inspector_of(endpoint, view)
    if inspector is None:
        return ""
    found = sys.modules["drf_spectacular.openapi"].AutoSchema.get_description(inspector)
    description = inspector.get_description()
    told = _text(description) if description != found else ""
    return joined(_text(inspector.get_summary()), told)


def _said_of_action(endpoint: Endpoint) -> Any:
    """Return the description given to `as_view`, else the docstring of the function."""
    told = getattr(endpoint.callback, "initkwargs", {}).get("description")
    handler = handler_of(endpoint)
    return told or ("" if is_frameworks(handler) else getattr(handler, "__doc__", ""))


def _said_of_view(endpoint: Endpoint, view: APIView, sentence: str) -> str:
    """Return what the class says about this action, else what it says about all its actions. The
    latter follows a sentence about this action, to tell the tools of a class apart."""
    if is_frameworks(endpoint.view_class):
        return ""
    sections = _sections(_text(view.get_view_description()), type(view))
    for name in (endpoint.action, endpoint.method.lower()):
        if name in sections:
            return sections[name]
    return joined(sentence, sections[""]) if _answers_several(endpoint) else sections[""]


def _sections(text: str, kind: type) -> dict[str, str]:
    """Split a text by the methods of the class that it describes; under "", what is about all."""
    lines: dict[str, list[str]] = {"": []}
    current = ""
    for line in text.splitlines():
        header = _SECTION.fullmatch(line)
        if header is not None and callable(getattr(kind, header[1], None)):
            current, said = header[1], header[2].strip()
        else:
            said = line
        lines.setdefault(current, []).append(said)
    return {name: "\n".join(found).strip() for name, found in lines.items()}


def _answers_several(endpoint: Endpoint) -> bool:
    kind = endpoint.view_class
    methods = [name for name in kind.http_method_names if hasattr(kind, name)]
    return hasattr(endpoint.callback, "actions") or len({*methods} - {"head", "options"}) > 1


def _sentence(endpoint: Endpoint, view: APIView | None) -> str:
    model = model_of(view) if isinstance(view, GenericAPIView) else None
    if model is None:
        return ""
    many, one = title_of(model, is_plural=True), _one(title_of(model))
    action = endpoint.action
    if not hasattr(endpoint.callback, "actions"):
        action = "list" if reads_list(endpoint) else _ACTIONS.get(action, action)
    if action in _SENTENCES:
        return _SENTENCES[action].format(one=one, many=many)
    is_detail = getattr(endpoint.callback, "initkwargs", {}).get("detail")
    return f"{_words(action).capitalize()}: an action on {one if is_detail else many}."


def _sentence_of_view(endpoint: Endpoint) -> str:
    name = endpoint.view_class.__name__
    for ending in ("APIView", "ViewSet", "View"):
        name = name.removesuffix(ending) or name
    words = _words(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).lower()
    if endpoint.action in _SENTENCES:
        return _SENTENCES[endpoint.action].format(one=words, many=words)
    if hasattr(endpoint.callback, "actions"):
        return f"{_words(endpoint.action).capitalize()}: an action on {words}."
    return f"{_VERBS.get(endpoint.method, 'Delete')} {words}."


def _one(title: str) -> str:
    return f"{'an' if title[:1].lower() in 'aeiou' else 'a'} {title}"


def _words(name: str) -> str:
    return name.replace("_", " ").strip()


def _text(said: Any) -> str:
    return without_tags(inspect.cleandoc(str(said))).strip() if said else ""
