"""What an endpoint takes: the arguments of its tool, and where each goes in the HTTP request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Where = Literal["path", "query", "body"]
# How a list is written in a query string: one value with separators, the name once for each, or
# `name[key]` for each entry of an object.
Gap = Literal["", "told", "unknown"]
Style = Literal["plain", "csv", "pipes", "spaces", "repeat", "deep"]


@dataclass(frozen=True, slots=True)
class InputPlace:
    """Where an argument goes, and its name there. In the body, the name "" is the body itself."""

    where: Where
    name: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The arguments of a tool. `rest` is where arguments go that the schema does not name; where
    there is none, the schema admits no others."""

    schema: dict[str, Any]
    places: Mapping[str, InputPlace]
    is_list: bool = False
    rest: Where | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """One of a tool's arguments, before it has a name among the others. A `gap` is what its schema
    does not say: what a developer told the site's documentation, or a kind that is not known."""

    place: InputPlace
    schema: dict[str, Any]
    is_required: bool = False
    gap: Gap = ""


@dataclass(frozen=True, slots=True)
class InputPart:
    """What one source knows: the path, the query or the body. It is `closed` where nothing else can
    be given there; `notes` are for whoever reads the schema."""

    arguments: tuple[Argument, ...] = ()
    closed: bool = True
    notes: tuple[str, ...] = ()
    definitions: Mapping[str, Any] = field(default_factory=dict)


NOTHING = InputPart()
UNKNOWN = InputPart(closed=False)
