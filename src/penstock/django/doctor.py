"""The tools that a site exposes, who sees them and what they cost, for `penstock_doctor`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final
from uuid import uuid4

import msgspec
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser
from django.db.models import UUIDField
from django.test import RequestFactory
from rest_framework.request import Request

from penstock.core.json.encoding import encode
from penstock.django import registry
from penstock.django.callers import Caller
from penstock.django.gateway import Gateway
from penstock.django.tools import SiteTool
from penstock.wire import messages

# No user in the database has this key, so no permission of a certain user applies.
_UNUSED_KEY: Final = -1
_ASKING: Final = messages.request(b"1", "tools/list", b"{}")


@dataclass(frozen=True)
class Examined:
    """A tool, its cost, and who sees it."""

    tool: SiteTool
    tokens: int  # of its full description
    callers: tuple[str, ...]  # the names of those who see the tool


@dataclass(frozen=True)
class CallerReport:
    """The list of tools that one caller is shown, in numbers."""

    caller: str
    tier: str
    tools: int
    listed_tokens: int
    raw_tokens: int  # if every tool were listed in full


@dataclass(frozen=True)
class Diagnosis:
    tools: Sequence[Examined]
    sights: Sequence[CallerReport]
    meter: str
    undecided: Sequence[str]  # the tools that only a call with arguments allows or refuses


def example_callers(names: Sequence[str] = ()) -> dict[str, Any]:
    """Return an anonymous caller, a user without permissions, a superuser, and the named users."""
    model: Any = get_user_model()
    known = {
        "anonymous": AnonymousUser(),
        "user": _unsaved_user(model),
        "superuser": _unsaved_user(model, is_staff=True, is_superuser=True),
    }
    named = {name: model.objects.get_by_natural_key(name) for name in names}
    return {**known, **named}


def _unsaved_user(model: Any, **more: bool) -> Any:
    """Make a user of the site's model. A read-only property of the model keeps its value."""
    made = model()
    is_uuid = isinstance(model._meta.pk, UUIDField)  # noqa: SLF001 (documented by Django)
    for name, value in {
        "pk": uuid4() if is_uuid else _UNUSED_KEY,
        "is_active": True,
        **more,
    }.items():
        with suppress(AttributeError):
            setattr(made, name, value)
    return made


def examine(gateway: Gateway, users: Mapping[str, Any]) -> Diagnosis:
    callers = {name: _caller(gateway, user) for name, user in users.items()}
    found = list(registry.tools().values())
    seen = {
        name: {tool.name for tool in found if tool.may(caller)} for name, caller in callers.items()
    }
    meter = gateway.gate.meter
    costs = {tool.name: meter.count(tool.listed.decode()) for tool in found}
    examined = [
        Examined(tool, costs[tool.name], tuple(name for name in seen if tool.name in seen[name]))
        for tool in found
    ]
    sights = [
        CallerReport(
            name,
            "none" if caller.tier is None else caller.tier.label,
            len(seen[name]),
            meter.count(_listed(gateway, caller).decode()),
            sum(costs[tool] for tool in seen[name]),
        )
        for name, caller in callers.items()
    ]
    undecided = [
        tool.name for tool in found if any(map(tool.depends_on_arguments, callers.values()))
    ]
    return Diagnosis(examined, sights, meter.name, undecided)


def _caller(gateway: Gateway, user: Any) -> Caller:
    http = RequestFactory().post("/", data=b"{}", content_type="application/json")
    http.user = user
    http._force_auth_user = user  # type: ignore[attr-defined]  # noqa: SLF001 (REST framework's hook for tests)
    http._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # noqa: SLF001 (Django's own)
    caller = gateway.caller(Request(http))
    caller.is_example = True
    return caller


def _listed(gateway: Gateway, caller: Caller) -> bytes:
    answer = gateway.answer(caller, _ASKING, is_modern=False)
    result = messages.read_message(answer).result
    return b"" if isinstance(result, msgspec.UnsetType) else messages.object_from(result)


def as_json(diagnosis: Diagnosis, pattern: str) -> str:
    """Return the diagnosis as JSON, with the tools whose names match the pattern."""
    return encode(
        {
            "meter": diagnosis.meter,
            "callers": [
                {
                    "caller": sight.caller,
                    "tier": sight.tier,
                    "tools": sight.tools,
                    "listed_tokens": sight.listed_tokens,
                    "raw_tokens": sight.raw_tokens,
                }
                for sight in diagnosis.sights
            ],
            "tools": [
                {
                    "name": one.tool.name,
                    "where": one.tool.where,
                    "tier": one.tool.tier.label,
                    "heavy": one.tool.heavy is not None,
                    "tokens": one.tokens,
                    "callers": list(one.callers),
                }
                for one in diagnosis.tools
                if fnmatchcase(one.tool.name, pattern)
            ],
        }
    ).decode()
