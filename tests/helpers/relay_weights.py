"""The size of the relay's own messages, computed without the code under test."""

import json
import re

from rs_bpe import openai

from penstock.core.budget.budget import Budget

_VOCABULARY = openai.o200k_base()
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

    The bytes are counted as they were sent: they might not be compact UTF-8.
    """
    wire = without_media(body)
    limits = {
        "bytes": (len(wire.encode()), budget.bytes),
        "chars": (len(wire), budget.chars),
        "lines": (1 + _ESCAPE.findall(wire).count("n"), budget.lines),
        "tokens": (
            _VOCABULARY.count(wire) if budget.tokens else 0,
            budget.tokens and int(budget.tokens / budget.safety),
        ),
    }
    return {
        unit: found
        for unit, (found, limit) in limits.items()
        if limit is not None and found > limit
    }


def without_media(body: bytes) -> str:
    """Return a body without the data of images and audio, which has a separate cap."""
    wire = body.decode()
    value = json.loads(wire)
    blocks = value.get("content", []) if isinstance(value, dict) else []
    for block in blocks:
        if block.get("type") in ("image", "audio"):
            wire = wire.replace(f',"data":{json.dumps(block["data"])}', "", 1)
    return wire
