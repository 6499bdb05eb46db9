"""The description of a tool as a function of Python: shorter than a schema, and as a program calls it.

A parameter that does not explain itself has a comment. The tool's own words follow the signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.disclosure.compact_description import CompactDescription, compact_description
from penstock.disclosure.described_tool import DescribedTool, as_table
from penstock.disclosure.schemas.compact import CompactSchema
from penstock.disclosure.schemas.python_signature import (
    ParameterNotes,
    python_signature,
    shown_types,
)
from penstock.disclosure.schemas.survey import BY_POSITION, SINGLE
from penstock.disclosure.texts.shortening import ELLIPSIS, Wording, clipped, sentences

_DESCRIPTION_CHARS: Final = 250
_COMMENT_CHARS: Final = 80
_COMMENTS_CHARS: Final = 200  # of all comments of a tool
# A program may call such a tool only if it may write.
_WRITES: Final = "  # may write"
# Keywords that a signature shows, or that say the same of a value as its type does.
_IN_SIGNATURE: Final = frozenset(
    {"type", "properties", "required", "items", "const", "default", "description", "enum"}
)
_OF_ROOT: Final = frozenset({"type", "properties", "required", "description"})
_NESTED: Final = (BY_POSITION | SINGLE) - {"not", "if"}


def python_description(tool: DescribedTool, said: set[str]) -> CompactDescription:
    """Return a description. `said` holds sentences that the reply has already, and grows."""
    if not tool.listed:
        return compact_description(tool, said)
    given = as_table(tool.more.get("inputSchema")) or tool.schema
    schema = CompactSchema(given, tool.name, said)
    made = schema.made(sentences(tool.description))
    notes = _notes_on_parameters(as_table(made.get("properties")), shown_types(given))
    comments = _within_room(notes.comments, made.get("required"))
    is_left_out = comments != notes.comments
    notes = notes._replace(comments=comments)
    words = _shortened(tool.description.strip())
    lines = [
        python_signature(tool.name, given, notes) + ("" if tool.is_read_only else _WRITES),
        words,
        *(f"{name}: {_json(it)}" for name, it in tool.more.items() if name != "inputSchema"),
    ]
    is_cut = schema.is_cut or words.endswith(ELLIPSIS) or not made.keys() <= _OF_ROOT
    is_cut = is_cut or is_left_out
    return CompactDescription(encode("\n".join(filter(None, lines))), is_cut)


def _shortened(description: str) -> str:
    """Return the first sentences of a long description, and a mark."""
    if len(description) <= _DESCRIPTION_CHARS:
        return description
    told = ""
    for piece in Wording(description, is_markup=False).pieces:
        if len(told) + len(piece) > _DESCRIPTION_CHARS:
            break
        told += piece
    return f"{told} {ELLIPSIS}" if told else clipped(description, _DESCRIPTION_CHARS)


def _notes_on_parameters(made: Mapping[str, Any], types: Mapping[str, str]) -> ParameterNotes:
    """Return what the types do not tell. A type that would be cut is shown as a schema."""
    schemas = {name: _json(each) for name, each in made.items() if ELLIPSIS in types.get(name, "")}
    comments = {
        name: "; ".join(_notes("", each, types.get(name, "")))
        for name, each in made.items()
        if name not in schemas
    }
    return ParameterNotes(comments, schemas)


def _within_room(comments: Mapping[str, str], required: Any) -> dict[str, str]:
    """Return the comments for which there is room, those on required parameters first. A tool with
    thirty options would otherwise cost more than the program that calls it."""
    needed = required if isinstance(required, list) else []
    kept, room = {}, _COMMENTS_CHARS
    for name in sorted(comments, key=lambda name: name not in needed):
        comment = comments[name]
        if len(comment) > _COMMENT_CHARS:
            comment = comment[: _COMMENT_CHARS - 1] + ELLIPSIS
        if len(comment) <= room:
            kept[name] = comment
            room -= len(comment)
    return kept


def _notes(name: str, shown: Any, kind: str) -> Iterator[str]:
    """Yield what there is to tell of a place and of the places below it. `name` is empty for the
    parameter itself."""
    if isinstance(shown, str):
        yield from _named(name, _note_of_leaf(shown))
    if not isinstance(shown, Mapping):
        return
    told = [", ".join(_limits(shown, kind)), shown.get("description")]
    yield from _named(name, ". ".join(filter(None, told)))
    for key, below in as_table(shown.get("properties")).items():
        yield from _notes(f"{name}.{key}" if name else key, below, kind)
    for keyword, below in shown.items():
        if keyword in _NESTED:
            for part in below if isinstance(below, list) else [below]:
                yield from _notes(name, part, kind)


def _named(name: str, note: str) -> Iterator[str]:
    if note:
        yield f"{name}: {note}" if name else note


def _note_of_leaf(shown: str) -> str:
    """Return the limits and the text of a key, of which `CompactSchema` shows the type first."""
    typed, _, text = shown.partition(": ")
    return ". ".join(filter(None, [typed.partition(", ")[2], text]))


def _limits(shown: Mapping[str, Any], kind: str) -> Iterator[str]:
    choices = shown.get("enum")
    if isinstance(choices, list) and "Literal[" not in kind:
        yield f"one of {_json(choices)}"
    for key, value in shown.items():
        if key not in _IN_SIGNATURE and key not in _NESTED:
            yield f"{key} {value if isinstance(value, str) else _json(value)}"
    if isinstance(shown.get("default"), (list, dict)):
        yield f"default {_json(shown['default'])}"


def _json(value: Any) -> str:
    return encode(value).decode()
