"""The short answer to a write: which record the agent has written, and that it worked.

The agent has sent the rest itself. For a new record the answer also has what the site has added, such
as a number or an address, if that is short. The whole answer is stored; `verify` asks for it at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.http import HttpResponseBase
from rest_framework.response import Response

from penstock.django.endpoints import Endpoint
from penstock.django.tool_results import FIRST_ERROR, STATUS_CODE, encoded

VERIFY: Final = "verify"
VERIFY_SCHEMA: Final = {
    "type": "boolean",
    "default": False,
    "description": "Return the whole record, not only what identifies it.",
}
_KEYS: Final = ("id", "pk", "uuid", "slug", "url")
_NAMES: Final = ("name", "code")  # they are shown beside a key, but identify nothing alone
# Links, labels and times, which an agent seldom needs at once.
_DERIVED: Final = re.compile(r"(.*_)?(url|display|created|modified|updated)|.*_(at|on)")
_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
_MOST_ADDED: Final = 500  # bytes
_LONGEST: Final = 200
_MOST_SHOWN: Final = 20
_CREATED: Final = 201


def essence_of(
    response: HttpResponseBase, endpoint: Endpoint, kwargs: Mapping[str, Any], sent: Any
) -> dict[str, Any] | None:
    """Return what identifies the written records; None for an error, for data that cannot be
    identified, and for an answer that the caller wants, such as that of a search."""
    status = response.status_code
    data = response.data if isinstance(response, Response) else None
    if status >= FIRST_ERROR or not data:
        return None
    if isinstance(data, Mapping) and _is_echo(data, status, endpoint, kwargs):
        identity = _identity(data, endpoint)
        added = _added(data, sent) if _is_new(status, endpoint) else {}
        return {**identity, **added, STATUS_CODE: status} if identity else None
    is_bulk = isinstance(sent, list) and isinstance(data, list) and len(sent) == len(data)
    if is_bulk and all(isinstance(row, Mapping) and _identity(row, endpoint) for row in data):
        shown = [_identity(row, endpoint) for row in data[:_MOST_SHOWN]]
        hidden = {"written_omitted": len(data) - len(shown)} if len(data) > len(shown) else {}
        return {STATUS_CODE: status, "count": len(data), "written": shown, **hidden}
    return None


def _is_echo(
    data: Mapping[str, Any], status: int, endpoint: Endpoint, kwargs: Mapping[str, Any]
) -> bool:
    """Return whether the data is the record that was written: by the action's name, by the status,
    or because the URL names this record."""
    if endpoint.method in ("PUT", "PATCH") or _is_new(status, endpoint):
        return True
    view: Any = endpoint.view_class
    field = getattr(view, "lookup_field", None) or "pk"
    key = kwargs.get(getattr(view, "lookup_url_kwarg", None) or field)
    return key is not None and str(key) in {str(data.get(name)) for name in (field, "id", "pk")}


def _is_new(status: int, endpoint: Endpoint) -> bool:
    return endpoint.action == "create" or status == _CREATED


def _added(data: Mapping[str, Any], sent: Any) -> dict[str, Any]:
    """Return the members of a new record that the agent has not sent, if they are short together.
    Members that are empty, or follow from others, tell nothing."""
    known = sent if isinstance(sent, Mapping) else {}
    added = {
        name: value
        for name, value in data.items()
        if name not in known and value not in _EMPTY and not _DERIVED.fullmatch(str(name))
    }
    return added if len(encoded(added)) <= _MOST_ADDED else {}


def _identity(row: Mapping[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """Return the fields that identify a record, and its name; nothing without an identifier."""
    keys = {name: row[name] for name in _identifying(endpoint) if _is_short(row.get(name))}
    names = {name: row[name] for name in _NAMES if _is_short(row.get(name))}
    return {**keys, **names} if keys else {}


def _identifying(endpoint: Endpoint) -> Iterator[str]:
    """Yield names of identifying fields: the model's key, the view's lookup field, usual keys."""
    view: Any = endpoint.view_class
    model = getattr(getattr(view, "queryset", None), "model", None)
    if model is not None:
        yield model._meta.pk.name  # noqa: SLF001 (documented by Django)
    yield getattr(view, "lookup_field", None) or "pk"
    yield from _KEYS


def _is_short(value: Any) -> bool:
    if value is None or isinstance(value, Mapping | list):
        return False
    return len(str(value)) <= _LONGEST
