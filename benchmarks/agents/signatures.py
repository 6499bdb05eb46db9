"""Signatures such as `path*, head: int, mode: fast|slow, body*: {a* b:int}[]`, read as schemas.

Commas and spaces separate parameters. A star marks a required one, and a question mark may mark the
others. A parameter without a type is a text. A word that is no type is one of the choices.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from benchmarks.agents.arguments import FORMATS

_TYPES: Final = {
    **{name: name for name in ("string", "integer", "number", "boolean", "object", "array")},
    "str": "string", "int": "integer", "num": "number", "float": "number", "bool": "boolean",
    "obj": "object", "list": "array",
}  # fmt: skip
_SPACE: Final = re.compile(r"[\s,]*")
_NAME: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,:*?{}()|"]+')
_WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(?:[^\s,{}()|"\[:]|:(?!\s)|\[(?!\]))+')
_MARK: Final = re.compile(r"[*?]?")
_COLON: Final = re.compile(r":\s*")
_LIMIT: Final = re.compile(r", (m(?:in|ax)[A-Z]\w+|m(?:in|ax)imum|multipleOf) (-?\d+(?:\.\d+)?)")
_PATTERN: Final = re.compile(r", pattern (.+?)(?=, m|: |$)")
_CUT: Final = re.compile(r"(?:…|\.\.\.)(?:\s*\d+ more)?")


class NoSignature(ValueError):
    """The text is not a signature."""


def schema_of_signature(text: str) -> dict[str, Any]:
    """Return the schema that a signature tells. Raise `NoSignature` for any other text."""
    reader = _SignatureText(text)
    found = reader.parameters()
    if reader.at != len(text):
        raise NoSignature(text)
    return found


def schema_of_kind(text: str) -> dict[str, Any]:
    """Return the schema that a type tells: `int`, `fast|slow`, `str, minLength 3: The key.`"""
    reader = _SignatureText(text)
    try:
        found = reader.kind()
    except NoSignature:
        return {}
    limits = {name: json.loads(limit) for name, limit in _LIMIT.findall(text, reader.at)}
    pattern = _PATTERN.search(text, reader.at)
    return {**found, **limits, **({"pattern": pattern[1]} if pattern else {})}


class _SignatureText:
    """A text, and the place up to which it is read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def parameters(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
        self._take(_SPACE)
        while self.at < len(self._text) and self._text[self.at] not in ")}":
            if not self._take(_CUT):
                self._parameter(schema)
            self._take(_SPACE)
        return schema

    def _parameter(self, schema: dict[str, Any]) -> None:
        name = _unquoted(self._expect(_NAME))
        mark = self._take(_MARK)
        kind = self.kind() if self._take(_COLON) else {"type": "string"}
        schema["properties"][name] = kind
        if mark == "*":
            schema["required"].append(name)

    def kind(self) -> dict[str, Any]:
        """Return the first of the types, or else all choices."""
        parts = [self._part()]
        while self._take(re.compile(r"\|")):
            parts.append(self._part())
        choices = [part["const"] for part in parts if "const" in part]
        typed = [part for part in parts if "const" not in part]
        return typed[0] if typed else {"enum": choices}

    def _part(self) -> dict[str, Any]:
        if self._take(re.compile(r"\{")):
            found = self.parameters()
            self._expect(re.compile(r"\}"))
        elif self._take(re.compile(r"\(")):
            found = self.kind()
            self._expect(re.compile(r"\)"))
        else:
            found = _of_word(self._expect(_WORD))
        while self._take(re.compile(r"\[\]")):
            found = {"type": "array", "items": found}
        return found

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found[0]

    def _expect(self, pattern: re.Pattern[str]) -> str:
        found = self._take(pattern)
        if not found:
            raise NoSignature(self._text)
        return found


def _of_word(word: str) -> dict[str, Any]:
    if word in _TYPES:
        return {"type": _TYPES[word]}
    if word in FORMATS:
        return {"type": "string", "format": word}
    if word == "any":
        return {}
    try:
        return {"const": json.loads(word)}
    except ValueError:
        return {"const": word}


def _unquoted(word: str) -> str:
    return str(json.loads(word)) if word.startswith('"') else word
