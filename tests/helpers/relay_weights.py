"""What a message of the relay's own weighs, worked out without the code that is being tested."""

import json
import re

from rs_bpe import openai

from penstock.core.budget.budget import Budget

_VOCABULARY = openai.o200k_base()
_ESCAPE = re.compile(r"\\(.)")
_BODY = re.compile(rb'\{"jsonrpc":"2\.0","id":(?:"(?:[^"\\]|\\.)*"|[^,"]+),"(?:result|error)":')


def o200k(text: str) -> int:
    """Tokens."""
    return _VOCABULARY.count(text)


def body_of(message: bytes) -> bytes:
    """The `result` or `error` of a message that the relay made, as it stands on the wire."""
    opening = _BODY.match(message)
    assert opening, f"not made by the relay: {message[:200]!r}"
    return message[opening.end() : -1]


def over(body: bytes, budget: Budget) -> dict[str, int]:
    """What is over the budget, and by how much it is; empty if nothing is.

    The bytes as they were sent: that they are compact UTF-8 is not taken for granted.
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
    """The data of images and audio has a cap of its own."""
    wire = body.decode()
    value = json.loads(wire)
    blocks = value.get("content", []) if isinstance(value, dict) else []
    for block in blocks:
        if block.get("type") in ("image", "audio"):
            wire = wire.replace(f',"data":{json.dumps(block["data"])}', "", 1)
    return wire
