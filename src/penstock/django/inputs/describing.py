"""Descriptions of tools: in the words of the view's author, else in a plain sentence."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any, Final

from django.db import models
from rest_framework.generics import GenericAPIView
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.code_names import is_frameworks
from penstock.django.inputs.documented import inspector_of
from penstock.django.inputs.faults import quietly
from penstock.django.inputs.handlers import handler_of, is_standard, reads_list
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
# The last words of the names of views that say nothing about what a view answers with.
_KINDS: Final = frozenset(
    {"admin", "api", "create", "destroy", "detail", "list", "retrieve", "set", "update", "view"}
    | {"viewset"}
)
_ABOUT_LISTS: Final = re.compile(
    r"\b(filter(s|ed|ing)?|paginat\w+|order(ed|ing)|sort(ed|ing)|query (param|string)\w*)\b|\?\w+=",
    re.IGNORECASE,
)
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
    if not _answers_several(endpoint):
        return sections[""]
    told = sections[""] if reads_list(endpoint) else _without_lists(sections[""])
    return joined(sentence, told)


def _without_lists(text: str) -> str:
    """Leave out the paragraphs of a class that tell how to filter or page through its lists."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(one for one in paragraphs if not _ABOUT_LISTS.search(one)).strip()


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
        if _does_other_things(endpoint, model):
            is_read = endpoint.method == "GET"
            words = _view_words(endpoint)
            told = f"{words.capitalize()}: an action on {many}."
            return _sentence_of_view(endpoint) if is_read else told
        action = "list" if reads_list(endpoint) else _ACTIONS.get(action, action)
    if action in _SENTENCES:
        return _SENTENCES[action].format(one=one, many=many)
    is_detail = getattr(endpoint.callback, "initkwargs", {}).get("detail")
    return f"{_words(action).capitalize()}: an action on {one if is_detail else many}."


def _does_other_things(endpoint: Endpoint, model: type[models.Model]) -> bool:
    """Return whether the name of a view says more than the name of its model: the hosts of subnets
    are no subnets. A write that REST framework makes is a write of the model, whatever its name."""
    if not endpoint.is_read and is_standard(endpoint):
        return False
    titles = (model.__name__, title_of(model), title_of(model, is_plural=True))
    known = {_stem(word) for title in titles for word in _words_of(title)}
    said = {_stem(word) for word in _view_words(endpoint).split()}
    return bool(said & known) and not said <= known


def _stem(word: str) -> str:
    return word.removesuffix("s")


def _sentence_of_view(endpoint: Endpoint) -> str:
    words = _view_words(endpoint)
    if endpoint.action in _SENTENCES:
        return _SENTENCES[endpoint.action].format(one=words, many=words)
    if hasattr(endpoint.callback, "actions"):
        return f"{_words(endpoint.action).capitalize()}: an action on {words}."
    verb = "List" if reads_list(endpoint) else _VERBS.get(endpoint.method, "Delete")
    return f"{verb} {words}."


def _view_words(endpoint: Endpoint) -> str:
    """Return the name of a view's class as words, without those that name kinds of views. The class
    that REST framework makes of a function has the function's name, which says all of itself."""
    name = endpoint.view_class.__name__
    words = _words_of(name)
    while name[0].isupper() and len(words) > 1 and words[-1] in _KINDS:
        words.pop()
    return " ".join(words)


def _words_of(name: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return re.split(r"[\W_]+", parted.lower().strip())


def _one(title: str) -> str:
    return f"{'an' if title[:1].lower() in 'aeiou' else 'a'} {title}"


def _words(name: str) -> str:
    return name.replace("_", " ").strip()


def _text(said: Any) -> str:
    return without_tags(inspect.cleandoc(str(said))).strip() if said else ""
