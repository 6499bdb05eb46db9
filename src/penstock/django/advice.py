"""Advice to the developer of a site: what is left out, what is unknown, and what may leak."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.contrib.auth.mixins import AccessMixin
from rest_framework.authentication import SessionAuthentication
from rest_framework.settings import api_settings

from penstock.django.conf import Site
from penstock.django.exposure import LeftOut
from penstock.django.inputs.bodies import has_body, serializer_of
from penstock.django.inputs.faults import quietly
from penstock.django.inputs.handlers import reads_list
from penstock.django.inputs.views import view_of
from penstock.django.list_kinds import ListKind
from penstock.django.registry import SiteTools
from penstock.django.setting_names import place_of
from penstock.django.tools import SiteTool
from penstock.django.view_tools import ViewAction

_READ: Final = {
    ListKind.LIVE: "live, in parts",
    ListKind.PAGED: "through the site's own paginator",
    ListKind.OWN_PAGES: "one page at a time, as the view answers",
    ListKind.WHOLE: "whole",
}
_HINTS: Final = {
    ListKind.OWN_PAGES: "An agent has to ask for each page: page with a paginator class instead.",
}
_OF_SESSIONS: Final = "django.contrib.auth.decorators"
_CREDENTIAL: Final = re.compile(r"(.*_)?(key|token|secret|password)", re.IGNORECASE)


@dataclass(frozen=True)
class Advice:
    """One thing that a developer should know about some tools or endpoints."""

    told: str
    hint: str
    about: Sequence[str]


def counted(items: Sequence[Any], one: str, many: str) -> str:
    """Return the number of some items, with the words for one or for many of them."""
    return f"{len(items):,} {one if len(items) == 1 else many}"


def advice_on(found: SiteTools) -> Iterator[Advice]:
    """Yield advice on the endpoints that are left out, and on the tools that are exposed."""
    yield from left_out(found.left_out)
    yield from lists(found)
    yield from risks(found)


def lists(found: SiteTools) -> Iterator[Advice]:
    """Yield how the lists of the exposed tools are read."""
    by_kind: dict[ListKind, list[str]] = defaultdict(list)
    for tool in found.exposed.values():
        if isinstance(tool.runs, ViewAction) and reads_list(tool.runs.endpoint):
            by_kind[tool.runs.lists].append(tool.name)
    for kind, names in by_kind.items():
        told = f"{counted(names, 'list is', 'lists are')} read {_READ[kind]}."
        yield Advice(told, _HINTS.get(kind, ""), names)


def left_out(endpoints: Sequence[LeftOut]) -> Iterator[Advice]:
    by_reason: dict[str, list[str]] = defaultdict(list)
    for one in endpoints:
        by_reason[one.reason].append(one.where)
    for reason, places in by_reason.items():
        told = counted(places, "endpoint is no tool", "endpoints are no tools")
        yield Advice(f"{told}: {reason}.", "", places)


def risks(found: SiteTools) -> Iterator[Advice]:
    """Yield advice on exposed tools that may return credentials, or whose bodies are not known."""
    exposed = list(found.exposed.values())
    leaking = [f"{tool.name} ({', '.join(fields)})" for tool, fields in _credentials(exposed)]
    if leaking:
        yield Advice(
            f"{counted(leaking, 'tool', 'tools')} may return credentials.",
            "Make the fields write_only in the serializer, or name the tools in DENY.",
            leaking,
        )
    unknown = [tool.name for tool in exposed if _has_unknown_body(tool)]
    if unknown:
        yield Advice(
            f"{counted(unknown, 'tool takes', 'tools take')} a body without a schema:"
            " an agent has to guess.",
            "Name a serializer_class, or declare the request with drf-spectacular.",
            unknown,
        )
    sessions = [tool.name for tool in exposed if _needs_session(tool)]
    if sessions:
        yield Advice(
            f"{counted(sessions, 'tool refuses', 'tools refuse')} every caller without a session:"
            " a decorator or mixin of Django's stands before REST framework's authentication.",
            "Use permission_classes instead, or name the tools in DENY.",
            sessions,
        )


def strangers(found: SiteTools, site: Site) -> Iterator[Advice]:
    """Yield advice on tools that authenticate callers whom the endpoint does not know."""
    own = site.authentication_classes
    known = list(api_settings.DEFAULT_AUTHENTICATION_CLASSES if own is None else own)
    missing = {tool.name: _unknown_classes(tool, known) for tool in found.exposed.values()}
    names = [name for name, classes in missing.items() if classes]
    if names:
        lacking = list(dict.fromkeys(_path_of(one) for name in names for one in missing[name]))
        wanted = ", ".join(f'"{one}"' for one in [*lacking, *map(_path_of, known)])
        yield Advice(
            f"{counted(names, 'tool authenticates', 'tools authenticate')} callers by classes that"
            f" the endpoint lacks ({', '.join(lacking)}). To the endpoint these callers are"
            " anonymous: they may not write, and anybody may use their tokens of results.",
            f"Set {place_of('AUTHENTICATION_CLASSES')} to [{wanted}].",
            names,
        )


def _unknown_classes(tool: SiteTool, known: Sequence[Any]) -> list[Any]:
    """Return the authentication classes of a tool's view that the endpoint lacks. All that are by
    sessions find the same user."""
    if not isinstance(tool.runs, ViewAction):
        return []
    action = tool.runs
    classes = quietly(lambda: action.endpoint.view().authentication_classes) or ()
    has_sessions = any(issubclass(one, SessionAuthentication) for one in known)
    return [
        one
        for one in classes
        if one not in known and not (has_sessions and issubclass(one, SessionAuthentication))
    ]


def _path_of(kind: Any) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _credentials(tools: Sequence[SiteTool]) -> Iterator[tuple[SiteTool, list[str]]]:
    for tool in tools:
        if isinstance(tool.runs, ViewAction):
            fields = quietly(partial(_readable_fields, tool.runs)) or []
            named = [name for name in fields if _CREDENTIAL.fullmatch(name)]
            if named:
                yield tool, named


def _readable_fields(action: ViewAction) -> list[str]:
    serializer = serializer_of(view_of(action.endpoint))
    fields = getattr(serializer, "fields", {})
    return [name for name, field in fields.items() if not field.write_only]


def _needs_session(tool: SiteTool) -> bool:
    """Return whether a view is behind a check of the user that only Django's sessions know."""
    if not isinstance(tool.runs, ViewAction):
        return False
    guarded: Any = tool.runs.endpoint.callback
    while guarded is not None:
        if getattr(guarded, "__globals__", {}).get("__name__") == _OF_SESSIONS:
            return True
        guarded = getattr(guarded, "__wrapped__", None)
    return issubclass(tool.runs.endpoint.view_class, AccessMixin)


def _has_unknown_body(tool: SiteTool) -> bool:
    action = tool.runs
    if not isinstance(action, ViewAction) or not has_body(action.endpoint):
        return False
    is_named = any(place.where == "body" for place in action.inputs.places.values())
    return action.inputs.rest == "body" and not is_named
