"""Arguments against a tool's own schema, by JSON Schema (2020-12, or the draft that it names).

A schema that is not one, or that refers to something outside of itself, forbids nothing: then it is
upstream's to judge. Nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from penstock.disclosure.catalogue import Described
from penstock.disclosure.shortening import clipped
from penstock.encoding import encode
from penstock.gate import log
from penstock.references import has_references

_KEPT: Final = 1_024
_MOST_FAULTS: Final = 3
_FAULT_CHARS: Final = 100
_UNIONS: Final = ("anyOf", "oneOf", "allOf")


def fault(tool: Described, arguments: Mapping[str, Any]) -> str:
    """What is wrong with the arguments, in a sentence or a few; empty where nothing is.

    A reference to a stored result stands for a value that need not be loaded to be refused or let
    through: whether a parameter admits it is found out where it is put in.
    """
    validator = _validator(encode(tool.schema), tool.name)
    given = dict(arguments)
    if validator is None or validator.is_valid(given):
        return ""
    errors = (error for error in validator.iter_errors(given) if not _is_of_reference(error, given))
    told = [_told(error) for error in islice(errors, _MOST_FAULTS)]
    return "; ".join(told) + "." if told else ""


def _told(error: Any) -> str:
    where = ".".join(map(str, error.instance_path))
    return clipped(f"{where}: {error.message}" if where else error.message, _FAULT_CHARS)


def _is_of_reference(error: Any, given: Any) -> bool:
    for step in error.instance_path:
        given = given[step]
    is_union = any(keyword in error.schema_path for keyword in _UNIONS)
    return has_references({"": given}) if is_union or isinstance(given, str) else False


@lru_cache(maxsize=_KEPT)
def _validator(schema: bytes, name: str) -> Any:
    """Made once for each schema; None where it cannot be."""
    import jsonschema_rs  # noqa: PLC0415 (most processes check nothing)

    try:
        return jsonschema_rs.validator_for(schema.decode(), retriever=_nothing)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        log().info("the schema of %s cannot be checked: %s", name, str(error).partition("\n")[0])
        return None


def _nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")
