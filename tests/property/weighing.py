"""The weight of a reply, computed without the code under test: with `json`, `len` and the vocabulary.

A model reads the content or, where it says the same, the structured content: the larger of the two
counts. `_meta`, icons and the data of images and audio do not. The wire carries twice the budget at
most.
"""

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


def over(reply: Reply, budget: Budget, meter: Meter, *, both: bool = False) -> str:
    """Return a report of the limits that a reply exceeds, or "" if it keeps them. `both`: the host
    shows content and structured content."""
    wire = on_the_wire(reply)
    forms = [wire] if both else read_by_a_model(reply)
    return next(
        (
            report
            for form, times in [(wire, 2), *((form, 1) for form in forms)]
            if (report := _over(form, times, budget, meter))
        ),
        "",
    )


def _over(wire: str, times: int, budget: Budget, meter: Meter) -> str:
    found = weight(wire, budget, meter)
    limits = {name: times * getattr(budget, name) for name in found}
    if budget.tokens:
        limits["tokens"] = int(times * budget.tokens / budget.safety)
    heavy = {name: count for name, count in found.items() if count > limits[name]}
    return f"{heavy} against {times} × {budget}, {meter.name}: {wire[:3000]!r}" if heavy else ""


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


def read_by_a_model(reply: Reply) -> list[str]:
    """Return the forms in which hosts show a reply to a model."""
    if reply.structured_content is None or not reply.content:
        return [on_the_wire(reply)]
    first, *others = reply.content
    if not _says_the_same(first.get("text"), json.loads(_structured(reply))):
        return [on_the_wire(reply)]
    return [_written(reply, reply.content, None), _written(reply, others, _structured(reply))]


def on_the_wire(reply: Reply) -> str:
    """Return the JSON-RPC result as it is sent, without the parts that have caps of their own."""
    structured = None if reply.structured_content is None else _structured(reply)
    return _written(reply, reply.content, structured)


def _written(reply: Reply, blocks: list[dict[str, Any]], structured: str | None) -> str:
    members = {"content": compact([_measured(block) for block in blocks])}
    if structured is not None:
        members["structuredContent"] = structured
    members |= {name: compact(value) for name, value in reply.frame.fields.items()}
    members |= {"isError": "true"} if reply.is_error else {}
    members.pop("_meta", None)
    return "{" + ",".join(f"{compact(name)}:{value}" for name, value in members.items()) + "}"


def _says_the_same(text: Any, structured: Any) -> bool:
    """Return whether a text is the structured content, or the one value that wraps it."""
    if not isinstance(text, str):
        return False
    values = [structured]
    if isinstance(structured, dict) and len(structured) == 1:
        values += structured.values()
    try:
        return text in values or json.loads(text) in values
    except ValueError:
        return False


def compact(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _measured(block: dict[str, Any]) -> dict[str, Any]:
    hidden = ("_meta", "icons", *(("data",) if block["type"] in ("image", "audio") else ()))
    return {name: value for name, value in block.items() if name not in hidden}


def _structured(reply: Reply) -> str:
    """Return the structured content undecoded: decoding would shorten numbers of many digits."""
    given = reply.structured if reply.untouched is None else reply.untouched.structured
    return bytes(given).decode() if isinstance(given, bytes | msgspec.Raw) else compact(given)
