"""The arguments of an endpoint's tool, and where each goes in the HTTP request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Where = Literal["path", "query", "body"]
# What the schema of an argument does not say: what a developer declared to drf-spectacular
# ("told"), or a kind that Penstock does not know.
Gap = Literal["", "told", "unknown"]
# How a list is written in a query string: one value with separators, the name once for each item,
# or `name[key]` for each entry of an object. In a body, whether a value is a file.
Style = Literal["plain", "csv", "pipes", "spaces", "repeat", "deep", "file"]


@dataclass(frozen=True, slots=True)
class InputPlace:
    """The place of an argument in the HTTP request."""

    where: Where
    name: str  # in the body, "" is the body itself
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The arguments of a tool."""

    schema: dict[str, Any]
    places: Mapping[str, InputPlace]
    is_list: bool = False  # the body is a list
    rest: Where | None = None  # the place of arguments that the schema does not name, if allowed


@dataclass(frozen=True, slots=True)
class Argument:
    """One of a tool's arguments, before it gets a name that is unique among them."""

    place: InputPlace
    schema: dict[str, Any]
    is_required: bool = False
    gap: Gap = ""


@dataclass(frozen=True, slots=True)
class InputPart:
    """The arguments in one part of the request: the path, the query or the body."""

    arguments: tuple[Argument, ...] = ()
    closed: bool = True  # no other arguments can be given there
    notes: tuple[str, ...] = ()  # for the description of the schema
    definitions: Mapping[str, Any] = field(default_factory=dict)


NOTHING = InputPart()
UNKNOWN = InputPart(closed=False)
