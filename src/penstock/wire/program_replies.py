"""The replies that an agent reads about its program: the answer, or what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.program import Broken, Finished, origin_of
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Result
from penstock.core.views.request import TOKEN_FIELD
from penstock.wire.call_facts import call_of
from penstock.wire.effects import EndedProgram, Keep, Offer, Steps
from penstock.wire.request import Request
from penstock.wire.shown_tools import has_explorer

_MOST_PRINTED: Final = 1_000  # characters of what was printed, beside an answer
_MOST_TOOLS: Final = 8


def answer_of(request: Request, finished: Finished, ended: EndedProgram) -> Steps[bytes]:
    """Return the reply for a program that has ended: its answer, or a probe of it, and a footer."""
    answer, printed = rawjson.decode(finished.answer), finished.printed
    if answer is None and printed:
        answer, printed = printed, ""
    told = [*finished.notices, *ended.notices]
    if printed:
        told.append((yield from _printed(request, printed, ended)))
    if ended.calls:
        told.append(_footer(request, ended, (yield from _kept_calls(request, ended))))
    text = answer if isinstance(answer, str) else rawjson.text(finished.answer)
    result = Result(content=({"type": "text", "text": text},))
    reply: Reply = yield Offer(_call(request, ended), result, "\n".join(told))
    return request.answer(reply.wire())


def failure_of(
    request: Request, broken: Broken, ended: EndedProgram, hint: str = ""
) -> Steps[bytes]:
    """Return the reply for a program that has failed. It leads to all that its calls returned."""
    token = (yield from _kept_calls(request, ended)) if ended.calls else ""
    return refusal(request, broken, hint, ended, token)


def refusal(
    request: Request,
    broken: Broken,
    hint: str = "",
    ended: EndedProgram | None = None,
    token: str = "",
) -> bytes:
    """Return an error about a program, with as much beside it as the budget allows."""
    step = " ".join(filter(None, (hint, broken.next_step)))
    called = {} if ended is None or not ended.calls else {"called": _counted(ended)}
    kept = {TOKEN_FIELD: token} if token else {}
    if token:
        step = f"{step} value(token) gives what the calls returned; do not repeat them.".strip()
    line = {"line": broken.line, "code": broken.source} if broken.line else {}
    printed = {"printed": _cut(broken.printed)} if broken.printed else {}
    notices = {} if ended is None or not ended.notices else {"notices": list(ended.notices)}
    core = {"error": broken.error, **kept, "next_step": step or "Mend the program."}
    forms: list[Mapping[str, Any]] = [
        {"error": broken.error, **line, **printed, **called, **notices, **core},
        {"error": broken.error, **line, **called, **core},
        core,
        {**core, "error": broken.error[:200]},
    ]
    return request.answer(_first_that_fits(request, forms).wire())


def _first_that_fits(request: Request, forms: list[Mapping[str, Any]]) -> Reply:
    frame = request.known.frame(is_modern=request.is_modern)
    replies = [Reply(encode(form), is_error=True, frame=frame) for form in forms]
    budget, meter = request.policy.budget, request.meter
    return next((reply for reply in replies if budget.admits(reply.everything, meter)), replies[-1])


def _footer(request: Request, ended: EndedProgram, token: str) -> str:
    """Return what the calls of a program were, and what they would have cost. The token is for the
    explorer: a user may want to look at what the calls returned, and an agent knows already."""
    kept = f" {token}" if token and has_explorer(request) else ""
    return f"Called {_counted(ended)}: ~{ended.tokens:,} tokens.{kept}"


def _counted(ended: EndedProgram) -> str:
    counts = Counter(str(call["tool"]) for call in ended.calls).most_common()
    told = [f"{tool} {count}x" for tool, count in counts[:_MOST_TOOLS]]
    more = len(counts) - len(told)
    return ", ".join([*told, *([f"{more} more tools"] if more else [])])


def _kept_calls(request: Request, ended: EndedProgram) -> Steps[str]:
    """Store what the calls of a program returned. Return the token, or "" if that failed."""
    token: str = yield Keep(_call(request, ended), Result(structured=list(ended.calls)))
    return token


def _printed(request: Request, printed: str, ended: EndedProgram) -> Steps[str]:
    """Return what a program printed beside its answer. Store it if it is long."""
    if len(printed) <= _MOST_PRINTED:
        return f"Printed:\n{printed.rstrip()}"
    result = Result(content=({"type": "text", "text": printed},))
    token: str = yield Keep(_call(request, ended), result)
    kept = f", kept as {token}" if token else ""
    return f"Printed {len(printed):,} characters{kept}:\n{_cut(printed)}"


def _call(request: Request, ended: EndedProgram) -> Call:
    """Return the call whose result the store keeps. All sources of the program are its origin."""
    call = replace(call_of(request, {}), is_merged=False)
    return replace(call, origin=origin_of(ended.sources))


def _cut(text: str) -> str:
    half = _MOST_PRINTED // 4
    return text if len(text) <= 2 * half else f"{text[:half]} … {text[-half:]}"
