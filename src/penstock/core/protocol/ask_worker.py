"""A question to the worker about a stored result."""

from __future__ import annotations

from typing import Final

from penstock.core.json.surrogates import has_half_pair
from penstock.core.model.effects import AskHolder, AskWorker, Entry, Steps
from penstock.core.model.questions import Failure, Language, Material, Question, Shape, WorkerAnswer
from penstock.core.views.focus import SPAN, Focus

MOST_CHARS: Final = 10_000  # of a program


def ask(
    entry: Entry,
    path: str,
    focus: Focus,
    language: Language,
    program: str,
    *,
    of_lists: bool = False,
) -> Steps[WorkerAnswer | Failure]:
    """Ask the worker about `focus`, the part of the entry at `path`. Send the rows only if no child
    of the worker holds them: sending takes longer than most answers. `of_lists`: each list of the
    dict is a table, and the dict itself is none."""
    refusal = _refusal_of(program, language)
    if refusal is not None:
        return refusal
    # The time is included because a new copy of a live list has the key of the old one.
    key = f"{entry.key}@{entry.head.created}{path}"
    # The explorer reads the entries of the same dict as one table.
    question = Question(f"{key}#tables" if of_lists else key, language, program)
    answer: WorkerAnswer | Failure | None = yield AskHolder(question)
    if answer is None:
        answer = yield AskWorker(question, (yield from _material(focus, of_lists=of_lists)))
    return answer


def _refusal_of(program: str, language: Language) -> Failure | None:
    """Refuse a program that no worker can run, before any row is read for it."""
    if not program.strip():
        return Failure("The program is empty.", "Give a program in query.")
    if len(program) > MOST_CHARS:
        return _too_long(len(program), language)
    if "\0" in program or has_half_pair(program):
        return Failure(
            "The program holds a forbidden character (NUL, or half of a surrogate pair).",
            "Remove it.",
        )
    return None


def _too_long(chars: int, language: Language) -> Failure:
    if language in ("order", "chart"):
        return Failure(
            f"The filters have {chars} characters together; {MOST_CHARS} are allowed.",
            "Search for a shorter text, or remove filters.",
        )
    return Failure(
        f"The program has {chars} characters; {MOST_CHARS} are allowed.",
        "Shorten it. Keep data in the result, not in the program.",
    )


def _material(focus: Focus, *, of_lists: bool) -> Steps[Material]:
    """Return all rows of `focus`, for the worker."""
    blocks = []
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN)
        blocks.append(b"\n".join(rows))
    shape: Shape = "value" if focus.shape == "literal" else focus.shape
    return Material("tables" if of_lists else shape, focus.prefix, focus.suffix, tuple(blocks))
