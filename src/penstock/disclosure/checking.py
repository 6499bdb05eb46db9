"""A check of arguments against a tool's JSON Schema (2020-12, or the draft that the schema names).

An invalid schema, or one that refers to another document, forbids nothing: upstream then checks the
arguments. Nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice
from typing import Any, Final

from penstock.core.protocol.references import has_references
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.texts.shortening import clipped
from penstock.log import logger

_KEPT: Final = 1_024
_MOST_FAULTS: Final = 3
_FAULT_CHARS: Final = 100
_UNIONS: Final = ("anyOf", "oneOf", "allOf")
# A schema with one of these keywords says itself which other properties it admits, or names its
# properties in several places.
_OPENING: Final = frozenset({
    "additionalProperties", "patternProperties", "unevaluatedProperties", "$ref", "if", *_UNIONS,
})  # fmt: skip
_SAID_INSTEAD: Final = "this"  # instead of a value, which may be long and which the agent knows


def fault(tool: DescribedTool, arguments: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments, or an empty text if nothing is.

    A reference to a stored result is not checked here: its value is not loaded yet. The value is
    checked when it replaces the reference.
    """
    given = dict(arguments)
    try:
        found = [*islice(chain(_strangers(tool, given), _errors(tool, given)), _MOST_FAULTS)]
    except (ValueError, RecursionError) as error:  # lone surrogates, for instance
        logger().info("the arguments of %s cannot be checked: %s", tool.name, error)
        return ""
    return "; ".join(found) + "." if found else ""


def _strangers(tool: DescribedTool, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield a fault for each argument that the schema does not name. Most schemas admit such
    arguments by default, and a server then ignores what a model has guessed."""
    parameters = tool.parameters
    if not parameters or not tool.schema.keys().isdisjoint(_OPENING):
        return
    for name in given:
        if name not in parameters:
            yield f"there is no parameter {clipped(name, _FAULT_CHARS)!r}"


def is_promised(schema: str, value: Any, tool: str) -> bool:
    """Return whether a value matches an output schema. An invalid schema matches everything."""
    validator = _validator(schema, tool)
    return validator is None or bool(validator.is_valid(value))


def _errors(tool: DescribedTool, given: dict[str, Any]) -> Iterator[str]:
    validator = _validator(tool.schema_json, tool.name)
    if validator is None or validator.is_valid(given):
        return
    for error in validator.iter_errors(given):
        if not _is_of_reference(error, given):
            yield _told(error)


def _told(error: Any) -> str:
    where = ".".join(map(str, error.instance_path))
    return clipped(f"{where}: {error.message}" if where else error.message, _FAULT_CHARS)


def _is_of_reference(error: Any, given: Any) -> bool:
    for step in error.instance_path:
        given = given[step]
    is_union = any(keyword in error.schema_path for keyword in _UNIONS)
    return has_references({"": given}) if is_union or isinstance(given, str) else False


@lru_cache(maxsize=_KEPT)
def _validator(schema: str, name: str) -> Any:
    """Return the validator of a schema, or None if the schema is invalid."""
    import jsonschema_rs

    try:
        return jsonschema_rs.validator_for(schema, retriever=_nothing, mask=_SAID_INSTEAD)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        logger().info("the schema of %s cannot be checked: %s", name, str(error).partition("\n")[0])
        return None


def _nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")
