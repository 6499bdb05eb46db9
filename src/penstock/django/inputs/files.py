"""Files that a tool sends with a form: their schema, and their content.

An agent writes a file as base64, or as a text. Either may be `@result:` and a token, so that a stored
result becomes a file.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rest_framework.exceptions import ValidationError

from penstock.core.json.encoding import encode
from penstock.django.inputs.schemas import Schema

FILE_NOTE: Final = 'A file is {"filename": …, "text": …}, or has "base64" instead of "text".'
_MEMBERS: Final = {
    "filename": {"type": "string", "minLength": 1},
    "text": {"type": "string"},
    "base64": {"type": "string", "contentEncoding": "base64"},
}
_SHAPES: Final = ({"filename", "text"}, {"filename", "base64"})
_FILE: Final[Schema] = {
    "type": "object",
    "properties": _MEMBERS,
    "required": ["filename"],
    "additionalProperties": False,
    "minProperties": 2,
    "maxProperties": 2,
    "description": "A file: its text or its base64. Either may be @result: and a token.",
}


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file of a form."""

    filename: str
    content: bytes


def file_schema(*, is_list: bool) -> Schema:
    return {"type": "array", "items": dict(_FILE)} if is_list else dict(_FILE)


def is_file_schema(schema: Schema) -> bool:
    """Return whether `file_schema` made a schema, perhaps with a description or a null added."""
    items = schema.get("items")
    one = items if isinstance(items, Mapping) else schema
    return one.get("properties") is _MEMBERS


def is_file(value: Any) -> bool:
    """Return whether a value has exactly the members of a file."""
    return isinstance(value, Mapping) and value.keys() in _SHAPES


def sent_files(name: str, value: Any) -> Any:
    """Return a file or a list of files of the field `name`, read from an argument."""
    if isinstance(value, list):
        return [sent_files(name, item) for item in value]
    return _sent_file(name, value) if is_file(value) else value


def _sent_file(name: str, value: Mapping[str, Any]) -> SentFile:
    if "text" in value:
        text = value["text"]
        content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else encode(text)
        return SentFile(str(value["filename"]), content)
    try:
        content = b64decode("".join(str(value["base64"]).split()), validate=True)
    except ValueError as fault:
        raise ValidationError({name: f"This is not base64: {fault}."}) from fault
    return SentFile(str(value["filename"]), content)
