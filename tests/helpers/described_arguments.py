"""Arguments that a careful reader of a compact description would send."""

from __future__ import annotations

import json
import re

_TEXTS = {
    "date-time": "2024-01-01T00:00:00Z",
    "date": "2024-01-01",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "uri": "https://example.com",
    "email": "a@example.com",
    "ipv4": "10.0.0.1",
}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}()|*…]|\[\]|[^\s{}()|*:,"\[\]…]+|:|\s+|.')


def arguments_for(description: dict, *, everything: bool = False) -> dict:
    """Return the required arguments, or all that the description shows."""
    return _of_schema(description.get("inputSchema", {"type": "object"}), everything)


def _of_schema(schema, everything):
    if isinstance(schema, str):
        return _Reader(schema, everything).leaf()
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for union in ("anyOf", "oneOf"):
        if schema.get(union):
            rest = {key: value for key, value in schema.items() if key != union}
            return _of_schema({**rest, **schema[union][0]}, everything)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        if isinstance(properties, str):
            return _Reader(properties, everything).leaf()
        given = [*properties] if everything else schema.get("required", [])
        return {name: _of_schema(properties.get(name, {}), everything) for name in given}
    if kind == "array":
        count = max(schema.get("minItems", 0), everything)
        return [_of_schema(schema.get("items", {}), everything)] * count
    return _scalar(kind, schema)


def _scalar(kind, limits):
    if kind in ("integer", "int", "number", "num"):
        least = limits.get("minimum", limits.get("exclusiveMinimum", 0))
        return max(1, least + ("exclusiveMinimum" in limits)) if "maximum" not in limits else max(
            least + ("exclusiveMinimum" in limits), min(1, limits["maximum"])
        )  # fmt: skip
    if kind in ("boolean", "bool"):
        return True
    if kind in ("string", "str", "any") or kind in _TEXTS:
        text = _TEXTS.get(limits.get("format", kind), "x")
        return text.ljust(limits.get("minLength", 0), "x")
    if kind == "null":
        return None
    return kind


class _Reader:
    """A reader of the notation of signatures."""

    def __init__(self, text, everything):
        self.text, self.tokens, self.at = text, _TOKEN.findall(text), 0
        self.everything = everything

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def leaf(self):
        value = self.kind()
        rest = "".join(self.tokens[self.at :])
        limits = dict(re.findall(r"(min\w+|max\w+|exclusive\w+) (-?[\d.]+)", rest.split(": ")[0]))
        limits = {key: json.loads(number) for key, number in limits.items()}
        if isinstance(value, list) and not value and limits.get("minItems"):
            return [_Reader(self.text.split("[]")[0], self.everything).kind()] * limits["minItems"]
        if limits and isinstance(value, (int, str)) and not isinstance(value, bool):
            return _scalar("int" if isinstance(value, int) else "str", limits)
        return value

    def kind(self):
        value = self.alternative()
        while self.peek() == "|":
            self.take()
            self.alternative()
        return value

    def alternative(self):
        word = self.take()
        if word == "{":
            value = self.keys()
        elif word == "(":
            value = self.kind()
            self.take()
        elif word.startswith('"') or re.fullmatch(r"-?[\d.]+|true|false|null", word):
            value = json.loads(word)
        else:
            is_choice = word in ("string", "integer", "number", "boolean", "…")
            value = {} if word == "obj" else word if is_choice else _scalar(word, {})
        while self.peek() == "[]":
            self.take()
            value = [value] if self.everything else []
        return value

    def keys(self):
        given = {}
        while (word := self.take()) != "}":
            if word.isspace() or word == "…":
                continue
            name = json.loads(word) if word.startswith('"') else word
            is_required = self.peek() == "*" and bool(self.take())
            value = "x"
            if self.peek() == ":":
                self.take()
                value = self.kind()
            if is_required or self.everything:
                given[name] = value
        return given
