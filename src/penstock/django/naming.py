"""Names for discovered tools: `app_resource_action`, if that is unique.

The app comes first, so that a list which shows only the beginnings of names is grouped by app. A
name does not depend on other views, unless one of them would get the same: then both get longer.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Final

from django.apps import apps

from penstock.django.endpoints import Endpoint

LONGEST: Final = 64  # the limit of the strictest host
_VERBS: Final = {"post": "create", "put": "update", "patch": "partial_update", "delete": "destroy"}
_NOT_NAMES: Final = re.compile(r"[^A-Za-z0-9]+")
_PARAMETER: Final = re.compile(r"\{\w+\}")
_GENERIC: Final = re.compile(r"(api|rest|v\d+(\.\d+)?)", re.IGNORECASE)


def names_of(
    endpoints: Sequence[Endpoint], taken: Iterable[str], separator: str
) -> dict[Endpoint, str]:
    """Return a unique name for each endpoint, and none that is taken."""
    used = set(taken)
    ambiguous: set[str] = set()
    named: dict[Endpoint, str] = {}
    left = list(endpoints)
    for parts_of in (_short, _by_path, _by_parameters, _by_path_and_method):
        if parts_of is _by_parameters:
            ambiguous = set()  # beside a name with parameters, one without them is clear
        wanted = {endpoint: _joined(parts_of(endpoint), separator) for endpoint in left}
        times = Counter(wanted.values())
        named |= {
            endpoint: name
            for endpoint, name in wanted.items()
            if times[name] == 1 and name not in used | ambiguous
        }
        used |= {*named.values()}
        ambiguous |= {*wanted.values()}
        left = [endpoint for endpoint in left if endpoint not in named]
    for endpoint in left:
        named[endpoint] = _told_apart(endpoint, used, separator)
        used.add(named[endpoint])
    return {endpoint: named[endpoint] for endpoint in endpoints}


def _told_apart(endpoint: Endpoint, used: set[str], separator: str) -> str:
    """Return a name for an endpoint that differs from others in its view or in the converters of its
    path, and not in its words: with a hash, and if need be with a number in it."""
    base, view = _joined(_by_path_and_method(endpoint), separator), endpoint.view_class
    of = f"{endpoint.method} {endpoint.path} {view.__module__}.{view.__qualname__}"
    names = (_hashed(base, f"{of}{number or ''}", separator) for number in count())
    return next(name for name in names if name not in used)


def _short(endpoint: Endpoint) -> list[str]:
    return [
        *_app_unless_said(endpoint, resource_of(endpoint)),
        resource_of(endpoint),
        action_of(endpoint),
    ]


def _by_path(endpoint: Endpoint) -> list[str]:
    path = _PARAMETER.sub("", endpoint.path)
    return [*_app_unless_said(endpoint, path.strip("/")), path, action_of(endpoint)]


def _by_parameters(endpoint: Endpoint) -> list[str]:
    path = _path_with_parameters(endpoint)
    return [*_app_unless_said(endpoint, path.strip("/")), path, action_of(endpoint)]


def _by_path_and_method(endpoint: Endpoint) -> list[str]:
    return [_path_with_parameters(endpoint), action_of(endpoint), endpoint.method.lower()]


def _path_with_parameters(endpoint: Endpoint) -> str:
    return _PARAMETER.sub(lambda found: f"by_{found[0]}", endpoint.path)


def resource_of(endpoint: Endpoint) -> str:
    """Return the router's name for the resource; else the last fixed part of the path."""
    initkwargs: Mapping[str, Any] = getattr(endpoint.callback, "initkwargs", {})
    basename = initkwargs.get("basename")
    if basename:
        return str(basename)
    parts = [part for part in _PARAMETER.sub("", endpoint.path).split("/") if part]
    parts = [part for part in parts if not _GENERIC.fullmatch(part)]
    return parts[-1] if parts else endpoint.view_class.__name__.removesuffix("View")


def action_of(endpoint: Endpoint) -> str:
    """Return the name that a ViewSet would give to the action."""
    if getattr(endpoint.callback, "actions", None) or endpoint.action in _VERBS:
        return _VERBS.get(endpoint.action, endpoint.action)
    view = endpoint.view_class
    if hasattr(view, "list") and not hasattr(view, "retrieve"):
        return "list"
    if hasattr(view, "retrieve") or endpoint.path.rstrip("/").endswith("}"):
        return "retrieve"
    return "list" if hasattr(view, "paginator") else "get"


def _app_unless_said(endpoint: Endpoint, said: str) -> list[str]:
    """Return the label of the view's app, unless the rest of the name begins with it."""
    config = apps.get_containing_app_config(endpoint.view_class.__module__)
    label = config.label if config is not None else ""
    begins = said.lower().startswith(label.removesuffix("s").lower())
    return [] if not label or begins else [label]


def _joined(parts: Iterable[str], separator: str) -> str:
    words = [_NOT_NAMES.sub("_", part).strip("_") for part in parts]
    name = separator.join(word for word in words if word)
    return name if len(name) <= LONGEST else _hashed(name, name, separator)


def _hashed(name: str, of: str, separator: str) -> str:
    digest = hashlib.sha256(of.encode()).hexdigest()[:8]
    return name[: LONGEST - len(digest) - len(separator)] + separator + digest
