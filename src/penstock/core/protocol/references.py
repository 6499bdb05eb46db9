"""`@result:` arguments, which pass a stored result to another tool without showing it to the agent.

{"rows": "@result:pen_…"}          the whole result
{"rows": "@result:pen_…#/items"}   a part of it, by JSON Pointer
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.pointers import unescaped
from penstock.core.model.effects import Steps
from penstock.core.model.program import Source
from penstock.core.model.values import Refusal
from penstock.core.results.outline import type_name

PREFIX = "@result:"
_MOST_NAMES: Final = 12
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_JSON_TYPES = {
    "str": ("string",), "dict": ("object",), "list": ("array",), "null": ("null",),
    "bool": ("boolean",), "int": ("integer", "number"), "float": ("number",),
}  # fmt: skip


class Reference(msgspec.Struct, frozen=True):
    """An argument that stands for a stored value."""

    where: str  # the place of the argument, for error messages
    token: str
    path: str
    schema: Any  # the tool's schema for this argument


class Fetched(msgspec.Struct, frozen=True):
    """A stored value as JSON, and the text that it is or that holds it, if it is one."""

    value: bytes  # empty for a text without data
    text: bytes | None = None
    is_json: bool = False  # the text is the JSON of the value
    counted: str = ""  # its rows or lines, in words
    list_path: str = ""  # the pointer to the rows in the value, if they are not the value
    sources: tuple[Source, ...] = ()  # the tools that it comes from, with their origins

    def told(self, inserted: bytes) -> str:
        """Return the size of what was inserted, so that nobody reads it back to check."""
        is_text = self.text is not None and inserted == self.as_text
        size = len(self.text or b"") if is_text else len(inserted)
        told = f"{size:,} byte{'' if size == 1 else 's'}"
        return f"{told}, {self.counted}" if self.counted else told

    @property
    def as_text(self) -> bytes:
        """The text as a JSON string; the value if there is no text."""
        return self.value if self.text is None else rawjson.string(rawjson.text(self.text))


# Takes a token and a path.
Fetch = Callable[[str, str], Steps[Fetched | Refusal]]


class Resolved(msgspec.Struct, frozen=True):
    """Arguments with stored values in place of references."""

    arguments: dict[str, Any]
    handed_on: list[str]  # the size of each value


class _Resolution(msgspec.Struct, frozen=True):
    """The resolution of one call's references."""

    schema: Mapping[str, Any]  # of all arguments
    fetch: Fetch
    handed_on: list[str]


def has_references(value: Any) -> bool:
    """Return whether there is a reference at any depth. Recursion would fail: arguments may nest
    deeper than Python's stack."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str) and item.startswith(PREFIX):
            return True
        if isinstance(item, Mapping):
            pending.extend(item.values())
        elif isinstance(item, list | tuple):
            pending.extend(item)
    return False


def resolve_arguments(
    arguments: Mapping[str, Any], schema: Mapping[str, Any] | None, fetch: Fetch
) -> Steps[Resolved | Refusal]:
    """Return the arguments with stored values in place of references, or a refusal."""
    now = _Resolution(schema or {}, fetch, [])
    resolved: dict[str, Any] = {}
    for name, value in arguments.items():
        below = _property(now.schema, now.schema, name)
        part = yield from _resolve(value, name, below, now)
        if isinstance(part, Refusal):
            return part
        resolved[name] = part
    return Resolved(resolved, now.handed_on)


def _resolve(value: Any, where: str, schema: Any, now: _Resolution) -> Steps[Any]:
    if isinstance(value, str) and value.startswith(PREFIX):
        token, _, path = value.removeprefix(PREFIX).partition("#")
        return (yield from _substitute(Reference(where, token, path, schema), now))
    if isinstance(value, Mapping) and has_references(value):
        return (yield from _resolve_dict(value, where, schema, now))
    if isinstance(value, list | tuple) and has_references(value):
        items = []
        for number, item in enumerate(value):
            below = _items(now.schema, schema)
            part = yield from _resolve(item, f"{where}[{number}]", below, now)
            if isinstance(part, Refusal):
                return part
            items.append(part)
        return items
    return value


def _resolve_dict(
    value: Mapping[str, Any], where: str, schema: Any, now: _Resolution
) -> Steps[Any]:
    resolved = {}
    for name, item in value.items():
        below = _property(now.schema, schema, name)
        part = yield from _resolve(item, f"{where}.{name}", below, now)
        if isinstance(part, Refusal):
            return part
        resolved[name] = part
    return resolved


def _substitute(reference: Reference, now: _Resolution) -> Steps[Any]:
    found = yield from now.fetch(reference.token, reference.path)
    if isinstance(found, Refusal):
        return Refusal(
            found.error, f"In argument {reference.where}: {found.next_step}", found.reason
        )
    admitted = _types(now.schema, reference.schema)
    for raw in _forms(found, admitted):
        if _is_admitted(raw, admitted):
            refusal = _refuse_rows(raw, reference, now)
            if refusal is not None:
                return refusal
            now.handed_on.append(found.told(raw))
            return msgspec.Raw(raw)
    raw = found.value or found.as_text
    if "string" in (admitted or ()):
        now.handed_on.append(found.told(raw))
        return rawjson.text(raw)
    return Refusal(
        f"Argument {reference.where} takes {' or '.join(sorted(admitted or ()))}, "
        f"but the stored value is {type_name(raw)}.",
        "Point to a part that fits with #/json/pointer, or make one with mode query.",
    )


def _is_admitted(raw: bytes, admitted: set[str] | None) -> bool:
    return admitted is None or any(name in admitted for name in _JSON_TYPES[type_name(raw)])


def _refuse_rows(raw: bytes, reference: Reference, now: _Resolution) -> Refusal | None:
    """Refuse a list of objects for a tool that takes lists, as those for spreadsheets do: only the agent
    knows which members it wants, and in which order. The first row stands for all."""
    admitted = _types(now.schema, _items(now.schema, reference.schema))
    if type_name(raw) != "list" or admitted is None or "object" in admitted:
        return None
    row = next(rawjson.elements(raw), b"null")
    if type_name(row) != "dict" or "array" not in admitted:
        return None
    return Refusal(
        f"Argument {reference.where} takes a list of lists, but the rows of the stored value are objects.",
        f"Make lists of them first:{_at(reference)} mode query, query {_lists_of(row)}, page_size 0. Then "
        "pass that token.",
    )


def _at(reference: Reference) -> str:
    return f" path {reference.path}," if reference.path else ""


def _lists_of(row: bytes) -> str:
    """Return a jq program that makes lists of rows like this one."""
    names = rawjson.names(row)
    wanted = [
        f".{name}" if _PLAIN.fullmatch(name) else f".[{encode(name).decode()}]" for name in names
    ]
    more = ", …" if len(wanted) > _MOST_NAMES else ""
    return f"map([{', '.join(wanted[:_MOST_NAMES])}{more}])"


def _forms(found: Fetched, admitted: set[str] | None) -> list[bytes]:
    """Return the forms in which a stored value can be passed on, the best first. A text goes as it is
    where only a text fits, and where anything does, unless it is JSON."""
    if found.text is None or not found.value:
        return [found.as_text]
    is_for_text = admitted is not None and admitted <= {"string", "null"}
    both = [found.as_text, found.value]
    return both if is_for_text or not found.is_json else both[::-1]


# -- what a schema says about a place in the arguments -----------------------------------------


def _property(root: Mapping[str, Any] | None, schema: Any, name: str) -> Any:
    below = []
    for branch in _branches(root or {}, schema):
        properties = branch.get("properties", {})
        if name in properties or "additionalProperties" in branch:
            below.append(properties.get(name, branch.get("additionalProperties")))
    return _any_of(below)


def _items(root: Mapping[str, Any], schema: Any) -> Any:
    branches = _branches(root, schema)
    return _any_of([branch["items"] for branch in branches if "items" in branch])


def _any_of(schemas: list[Any]) -> Any:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas} if schemas else {}


def _branches(root: Mapping[str, Any], schema: Any) -> list[Mapping[str, Any]]:
    """Return a schema and the branches of its unions, such as the two of an optional model."""
    target = _followed(root, schema)
    unions = [target[union] for union in ("anyOf", "oneOf") if union in target]
    return [target, *(_followed(root, branch) for union in unions for branch in union)]


def _types(root: Mapping[str, Any], schema: Any) -> set[str] | None:
    """Return the JSON types that a schema admits, or None if it does not say."""
    target = _followed(root, schema)
    for union in ("anyOf", "oneOf"):
        if union in target:
            branches = [_types(root, branch) for branch in target[union]]
            known = [branch for branch in branches if branch is not None]
            return set().union(*known) if len(known) == len(branches) else None
    named = target.get("type")
    if isinstance(named, str):
        return {named}
    return set(named) if isinstance(named, list) else None


def _followed(root: Mapping[str, Any], schema: Any) -> Mapping[str, Any]:
    """Return the schema that a chain of local references leads to, or {} after ten of them."""
    for _ in range(10):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = root
        for step in reference[1:].split("/")[1:]:
            schema = schema.get(unescaped(step), {}) if isinstance(schema, Mapping) else {}
    return {}
