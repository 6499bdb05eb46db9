"""The size of the relay's own messages, computed without the code under test."""

import json
import re
from typing import Any

from rs_bpe import openai

from penstock.core.budget.budget import Budget

_VOCABULARY = openai.o200k_base()
_READ = json.JSONDecoder().raw_decode
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPE = re.compile(r"\\(.)")
_BODY = re.compile(rb'\{"jsonrpc":"2\.0","id":(?:"(?:[^"\\]|\\.)*"|[^,"]+),"(?:result|error)":')


def o200k(text: str) -> int:
    """Return the number of tokens."""
    return _VOCABULARY.count(text)


def body_of(message: bytes) -> bytes:
    """Return the `result` or `error` of a message of the relay, as bytes of the wire."""
    opening = _BODY.match(message)
    assert opening, f"not made by the relay: {message[:200]!r}"
    return message[opening.end() : -1]


def over(body: bytes, budget: Budget) -> dict[str, int]:
    """Return the units in which a body is over the budget, with the sizes found.

    The bytes are counted as they were sent: they might not be compact UTF-8. Where the structured
    content says the same as the content, each of the two has to fit by itself. The wire carries
    twice the budget at most.
    """
    wire, *forms = counted_forms(body)
    found = [_over(wire, 2, budget), *(_over(form, 1, budget) for form in forms)]
    return {unit: size for each in found for unit, size in each.items()}


def _over(wire: str, times: int, budget: Budget) -> dict[str, int]:
    limits = {
        "bytes": (len(wire.encode()), budget.bytes),
        "chars": (len(wire), budget.chars),
        "lines": (1 + _ESCAPE.findall(wire).count("n"), budget.lines),
        "tokens": (
            _VOCABULARY.count(wire) if budget.tokens else 0,
            budget.tokens and budget.tokens / budget.safety,
        ),
    }
    return {
        unit: found
        for unit, (found, limit) in limits.items()
        if limit is not None and found > int(times * limit)
    }


def counted_forms(body: bytes) -> list[str]:
    """Return a body as it was sent, without the parts that have caps of their own, and then the
    forms in which hosts show it to a model."""
    value = json.loads(body)
    if not isinstance(value, dict) or "content" not in value:
        return [body.decode()] * 2
    members = _members(body.decode())
    members.pop("_meta", None)
    blocks = [_counted(block) for block in _items(members["content"])]
    whole = _object({**members, "content": _array(blocks)})
    if not _says_the_same(value["content"], value.get("structuredContent")):
        return [whole, whole]
    others = {name: raw for name, raw in members.items() if name != "structuredContent"}
    content = _object({**others, "content": _array(blocks)})
    return [whole, content, _object({**members, "content": _array(blocks[1:])})]


def _counted(block: str) -> str:
    members = _members(block)
    is_media = json.loads(members["type"]) in ("image", "audio")
    hidden = ("_meta", "icons", *(("data",) if is_media else ()))
    return _object({name: raw for name, raw in members.items() if name not in hidden})


def _members(table: str) -> dict[str, str]:
    """Return the members of an object, each value as it was sent."""
    found, at = {}, _after_space(table, 1)
    while table[at] != "}":
        name, at = _READ(table, _after_space(table, at + (table[at] == ",")))
        start = _after_space(table, _after_space(table, at) + 1)
        _, end = _READ(table, start)
        found[name], at = table[start:end], _after_space(table, end)
    return found


def _items(array: str) -> list[str]:
    found, at = [], _after_space(array, 1)
    while array[at] != "]":
        start = _after_space(array, at + (array[at] == ","))
        _, end = _READ(array, start)
        found.append(array[start:end])
        at = _after_space(array, end)
    return found


def _after_space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()


def _object(members: dict[str, str]) -> str:
    return "{" + ",".join(json.dumps(name) + ":" + raw for name, raw in members.items()) + "}"


def _array(items: list[str]) -> str:
    return "[" + ",".join(items) + "]"


def _says_the_same(content: list[dict[str, Any]], structured: Any) -> bool:
    """Return whether the first text is the structured content, or the one value that wraps it."""
    if structured is None or not content or "text" not in content[0]:
        return False
    values = [structured]
    if isinstance(structured, dict) and len(structured) == 1:
        values += structured.values()
    try:
        return content[0]["text"] in values or json.loads(content[0]["text"]) in values
    except ValueError:
        return False
