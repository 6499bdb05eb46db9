"""The completion of an endpoint's arguments from its documentation by drf-spectacular.

What developers declared takes precedence over what Penstock finds, and so does a body that is a
list: only an inspector of the site's own describes one that the view's code does not show. What
drf-spectacular guesses only fills gaps.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any, Final

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.bodies import has_body, is_whole
from penstock.django.inputs.handlers import filters_list
from penstock.django.inputs.operation_bodies import referring
from penstock.django.inputs.operations import (
    DocumentedInputs,
    Operation,
    ask_for_requests_only,
    declared_inputs,
    operation_of,
)
from penstock.django.inputs.routes import Route
from penstock.django.inputs.schemas import Schema
from penstock.django.inputs.values import Argument, InputPart

_OF_GUESSES: Final = frozenset({"type", "description", "default"})


@dataclass(frozen=True, slots=True)
class Documentation:
    """The documentation of one endpoint."""

    endpoint: Endpoint
    inspector: Any
    route: Route
    told: DocumentedInputs  # what developers declared

    @classmethod
    def of(cls, endpoint: Endpoint, inspector: Any, route: Route) -> Documentation:
        ask_for_requests_only(inspector, is_filtered=filters_list(endpoint))
        told = declared_inputs(inspector, has_body=has_body(endpoint))
        return cls(endpoint, inspector, route, told)

    def complete(
        self, parts: tuple[InputPart, InputPart, InputPart], hidden: Container[str]
    ) -> tuple[InputPart, InputPart, InputPart]:
        """Complete the path, the query and the body. Parameters in `hidden` are left out unless
        developers declared them."""
        path, query, body = parts
        if not (self.told.needs_operation or _has_gaps(query) or _has_gaps(body)):
            return parts
        operation = operation_of(self.endpoint, self.inspector, self.route, self.told)
        if operation is None:
            return parts
        return (
            _with_told_path(path, operation),
            self._query(query, operation, hidden),
            self._body(body, operation.body),
        )

    def _query(self, ours: InputPart, operation: Operation, hidden: Container[str]) -> InputPart:
        told = self.told
        found = {
            item.place.name: item for item in ours.arguments if item.place.name not in told.excluded
        }
        for item in operation.query:
            name = item.place.name
            is_new = name not in found and name not in hidden
            if is_new or name in told.parameters or _fills(item.schema, found.get(name)):
                found[name] = item
        is_told = any(item.place.name in told.parameters for item in operation.query)
        part = replace(ours, arguments=tuple(found.values()), closed=ours.closed or is_told)
        return referring(part, operation.definitions)

    def _body(self, ours: InputPart, theirs: InputPart | None) -> InputPart:
        if theirs is None:
            return ours
        is_declared = self.told.has_body and self.told.serializer is None
        is_list = is_whole(theirs) and not is_whole(ours)
        if is_declared or is_list or not has_body(self.endpoint):
            return theirs
        known = {item.place: item.schema for item in theirs.arguments}
        filled = tuple(
            replace(item, schema=known[item.place])
            if item.place in known and _fills(known[item.place], item)
            else item
            for item in ours.arguments
        )
        return referring(replace(ours, arguments=filled), theirs.definitions)


def _with_told_path(path: InputPart, operation: Operation) -> InputPart:
    told = {item.place.name: item for item in operation.path}
    return replace(
        path,
        arguments=tuple(_told_key(item, told.get(item.place.name)) for item in path.arguments),
    )


def _told_key(ours: Argument, told: Argument | None) -> Argument:
    """Return a documented argument of the path. Admit a number for a text if the column takes one:
    in a URL, both are the same."""
    if told is None:
        return ours
    types = ours.schema.get("type")
    takes_number = types == "integer" or (isinstance(types, list) and "integer" in types)
    if not takes_number or not _is_bare_text(told.schema):
        return told
    return replace(told, schema={**told.schema, "type": ["string", "integer"]})


def _has_gaps(part: InputPart) -> bool:
    return any(item.gap for item in part.arguments)


def _fills(schema: Schema, ours: Argument | None) -> bool:
    """Return whether a documented schema fills a gap. A bare text may only mean an unknown type."""
    if ours is None or not ours.gap:
        return False
    return ours.gap == "told" or not _is_bare_text(schema)


def _is_bare_text(schema: Schema) -> bool:
    return schema.get("type") == "string" and schema.keys() <= _OF_GUESSES
