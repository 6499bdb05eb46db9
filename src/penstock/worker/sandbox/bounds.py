"""The limit on the size of an answer to the parent."""

from __future__ import annotations

from collections.abc import Iterable

from penstock.core.model.questions import Failure, Limits, WorkerAnswer


def bounded(rows: Iterable[bytes], limits: Limits) -> WorkerAnswer | Failure:
    """Return the first rows, up to the limits. Compute at most one row beyond them."""
    kept: list[bytes] = []
    size = 0
    for row in rows:
        size += len(row)
        if not kept and size > limits.answer_bytes:
            return _too_long(limits)
        if len(kept) == limits.rows or size > limits.answer_bytes:
            return WorkerAnswer(tuple(kept), single=False, truncated=True)
        kept.append(row)
    return WorkerAnswer(tuple(kept), single=len(kept) == 1, truncated=False)


def _too_long(limits: Limits) -> Failure:
    return Failure(
        f"The first row or value of the answer alone has more than {limits.answer_bytes / 1e6:g} MB.",
        "Ask for less: select fewer fields, or a part of the value.",
    )
