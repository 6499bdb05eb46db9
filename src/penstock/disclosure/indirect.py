"""A call through `call_tool`: the tool and the arguments that the agent means.

Arguments stay unparsed bytes. An error says how to make the next call right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.disclosure.grants import GRANT_FIELD
from penstock.disclosure.names import CALL, CALL_READ_ONLY, FIND
from penstock.disclosure.on_demand import DisclosureAnswers
from penstock.disclosure.problems import problem

_NAME: Final = "name"
_ARGUMENTS: Final = "arguments"


class Inner(msgspec.Struct, frozen=True):
    """The call that the agent means."""

    name: str
    arguments: bytes
    grant: Any = None  # the grant handle beside the arguments


def inner_call(
    answers: DisclosureAnswers, role: str, through: str, given: Mapping[str, bytes | msgspec.Raw]
) -> Inner | bytes:
    """Return the call that the agent means, or a reply that says what is wrong."""
    name = _text(given.get(_NAME))
    wrong = _wrong_name(answers, role, through, name)
    if wrong:
        return wrong
    inside = given.get(_ARGUMENTS, b"null")
    beside = {key: raw for key, raw in given.items() if key not in (_NAME, _ARGUMENTS)}
    if bytes(inside).strip() == b"null":
        # Some models put the arguments beside the name. Take them as the tool's arguments.
        return Inner(name, _joined(beside))
    grant = beside.pop(GRANT_FIELD, None)
    arguments = _object(inside)
    if arguments is None or beside:
        how = '{"name": "TOOL", "arguments": {…}}'
        return problem(answers.fits, "arguments must be one object.", f"Call {through} with {how}.")
    return Inner(name, arguments, None if grant is None else rawjson.decode(grant))


def _wrong_name(answers: DisclosureAnswers, role: str, through: str, name: str) -> bytes:
    """Return a reply that says why the tool cannot be called through this one, or nothing."""
    own = answers.listing.own
    find = f"{own.get(FIND, FIND)} finds tools by what they do."
    if not name:
        return problem(answers.fits, f"{through} needs the name of a tool.", find)
    if name in answers.ours:
        return problem(
            answers.fits, "{} is not called through another tool.", "Call it directly.", name
        )
    tool = answers.catalogue.get(name)
    if tool is None:
        near = answers.catalogue.nearest(name)
        meant = f"Did you mean {' or '.join(near)}? " if near else ""
        return problem(answers.fits, "There is no tool {}.", meant + find, name)
    if role == CALL_READ_ONLY and not tool.is_read_only:
        said = "{} is not marked read-only."
        return problem(answers.fits, said, f"Call it through {own.get(CALL, CALL)}.", name)
    return b""


def _text(raw: bytes | msgspec.Raw | None) -> str:
    value = None if raw is None else rawjson.decode(raw)
    return value if isinstance(value, str) else ""


def _object(raw: bytes | msgspec.Raw) -> bytes | None:
    """Return an object, or None for any other value. Some models write the object as a text."""
    given = bytes(raw).strip()
    if given.startswith(b'"'):
        try:
            given = rawjson.compact(_text(given).encode())
        except ValueError:
            return None
    return given if given.startswith(b"{") else None


def _joined(members: Mapping[str, bytes | msgspec.Raw]) -> bytes:
    parts = [rawjson.string(name) + b":" + bytes(raw) for name, raw in members.items()]
    return b"{" + b",".join(parts) + b"}"
