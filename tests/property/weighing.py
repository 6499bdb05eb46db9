"""The weight of a reply, computed without the code under test: with `json`, `len` and the vocabulary."""

import json
import re
from typing import Any

import msgspec
from rs_bpe import openai

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import EstimateMeter, Meter
from penstock.core.model.reply import Reply

_VOCABULARY = openai.o200k_base()
_ESTIMATE = EstimateMeter()
_HALF = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(.)")


def over(reply: Reply, budget: Budget, meter: Meter) -> str:
    """Return a report of the limits that a reply exceeds, or "" if it keeps them."""
    wire = on_the_wire(reply)
    found = weight(wire, budget, meter)
    limits = {name: getattr(budget, name) for name in found}
    limits["tokens"] = (budget.tokens or 0) / budget.safety
    heavy = {name: count for name, count in found.items() if count > limits[name]}
    return f"{heavy} against {budget}, {meter.name}: {wire[:3000]!r}" if heavy else ""


def weight(wire: str, budget: Budget, meter: Meter) -> dict[str, float]:
    """Return the weight in each unit that the budget limits."""
    found: dict[str, float] = {}
    if budget.bytes is not None:
        found["bytes"] = len(wire.encode())
    if budget.chars is not None:
        found["chars"] = len(wire)
    if budget.lines is not None:
        found["lines"] = 1 + _ESCAPE.findall(wire).count("n")
    if budget.tokens is not None:
        exact = meter.name != _ESTIMATE.name
        found["tokens"] = _VOCABULARY.count(wire) if exact else _ESTIMATE.count(wire)
    return found


def on_the_wire(reply: Reply) -> str:
    """Return the JSON-RPC result as it is sent, without the data of images and audio."""
    members = {"content": compact([_measured(block) for block in reply.content])}
    if reply.structured_content is not None:
        members["structuredContent"] = _structured(reply)
    members |= {name: compact(value) for name, value in reply.frame.fields.items()}
    members |= {"isError": "true"} if reply.is_error else {}
    members |= {"_meta": compact(reply.meta)} if reply.meta else {}
    return "{" + ",".join(f"{compact(name)}:{value}" for name, value in members.items()) + "}"


def compact(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _measured(block: dict[str, Any]) -> dict[str, Any]:
    hidden = ("data",) if block["type"] in ("image", "audio") else ()
    return {name: value for name, value in block.items() if name not in hidden}


def _structured(reply: Reply) -> str:
    """Return the structured content undecoded: decoding would shorten numbers of many digits."""
    given = reply.structured if reply.untouched is None else reply.untouched.structured
    return bytes(given).decode() if isinstance(given, bytes | msgspec.Raw) else compact(given)
