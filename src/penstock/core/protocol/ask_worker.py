"""A question about a stored result, put to a worker."""

from __future__ import annotations

from penstock.core.model.effects import Compute, Entry, Steps
from penstock.core.model.questions import (
    Failure,
    Language,
    Material,
    MaterialNeeded,
    Question,
    WorkerAnswer,
)
from penstock.core.views.focus import SPAN, Focus


def ask(
    entry: Entry, path: str, focus: Focus, language: Language, program: str
) -> Steps[WorkerAnswer | Failure]:
    """`focus` is the part of the entry at `path`. A worker that has its rows already is asked first:
    to send them takes longer than most answers."""
    # When it was stored, for the copy of a live list may be stored anew.
    question = Question(f"{entry.key}@{entry.head.created}{path}", language, program)
    answer = yield Compute(question)
    if isinstance(answer, MaterialNeeded):
        answer = yield Compute(question, (yield from _material(focus)))
    assert isinstance(answer, WorkerAnswer | Failure)  # noqa: S101 (it was given the material)
    return answer


def _material(focus: Focus) -> Steps[Material]:
    """All the rows, for a worker."""
    blocks = []
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN)
        blocks.append(b"\n".join(rows))
    shape = "value" if focus.shape == "literal" else focus.shape
    return Material(shape, focus.prefix, focus.suffix, tuple(blocks))
