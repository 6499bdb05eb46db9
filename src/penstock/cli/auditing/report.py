"""An audit as JSON. These keys stay the same in later versions; others may be added."""

from __future__ import annotations

from typing import Any

from penstock.cli.auditing.costs import Audit, FormCost, ToolCost
from penstock.core.json.encoding import encode


def as_json(audit: Audit) -> bytes:
    return encode(report(audit))


def report(audit: Audit) -> dict[str, Any]:
    largest = audit.largest_description
    return {
        "server": {"name": audit.server, "version": audit.version},
        "counting": {"meter": audit.meter, "exact": audit.is_exact},
        "list_budget": audit.list_budget,
        "always": list(audit.always),
        "raw": {"tools": len(audit.tools), "tokens": audit.raw, "bytes": audit.raw_bytes},
        "left_out": audit.left_out,
        "auto": audit.auto.given,
        "forms": {cost.form: _form(cost) for cost in (audit.auto, *audit.forms)},
        "full_descriptions": {
            "mean_tokens": round(audit.mean_description, 1),
            "largest_tokens": largest.full_description if largest else 0,
            "largest_tool": largest.name if largest else None,
        },
        "tools": [_tool(tool) for tool in audit.tools],
    }


def _form(cost: FormCost) -> dict[str, Any]:
    even = cost.break_even
    return {
        "given": cost.given,
        "tools": cost.tools,
        "tokens": cost.tokens,
        "within_budget": not cost.is_over,
        "saved": cost.saved,
        "saved_percent": cost.percent,
        "break_even": even and {"average": even.average, "largest": even.largest},
    }


def _tool(cost: ToolCost) -> dict[str, Any]:
    return {
        "name": cost.name,
        "tokens": cost.tokens,
        **cost.parts,
        "full_description": cost.full_description,
    }
