"""The replies that an agent reads about its program: the answer, or what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.budget.fitting import PROBE_BYTES, ReplyScale, clip
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

_MOST_SHOWN: Final = 1_000  # characters of what was printed, beside an answer
_PARTS: Final = (500, 200, 80, 0)  # characters shown of a printed text that is stored
_MOST_TOOLS: Final = 8
_ERROR_CHARS: Final = (200, 80, 40, 20)


def answer_of(request: Request, finished: Finished, ended: EndedProgram) -> Steps[bytes]:
    """Return the reply for a program that has ended: its answer, or a probe of it, and a footer."""
    answer, printed = rawjson.decode(finished.answer), finished.printed
    if answer is None and printed:
        answer, printed = printed, ""
    text = answer if isinstance(answer, str) else rawjson.text(finished.answer)
    told, footer = [*finished.notices, *ended.notices], []
    if ended.calls:
        footer = [_footer(request, ended, (yield from _kept_calls(request, ended)))]
    if printed:
        whole = [f"Printed:\n{printed.rstrip()}"]
        fits = len(printed) <= _MOST_SHOWN and _passes(request, text, [*told, *whole, *footer])
        told += whole if fits else [f"Printed {(yield from _kept(request, printed, ended))}"]
    result = Result(content=(_block(text),))
    reply: Reply = yield Offer(_call(request, ended), result, "\n".join([*told, *footer]))
    return request.answer(reply.wire())


def failure_of(
    request: Request, broken: Broken, ended: EndedProgram, hint: str = ""
) -> Steps[bytes]:
    """Return the reply for a program that has failed. It leads to all that its calls returned."""
    token = (yield from _kept_calls(request, ended)) if ended.calls else ""
    if len(broken.printed) > _PARTS[0]:
        printed = yield from _kept(request, broken.printed, ended)
        broken = msgspec.structs.replace(broken, printed=printed)
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
    called = {} if ended is None or not ended.calls else {"called": _counted(ended, _MOST_TOOLS)}
    kept = {TOKEN_FIELD: token} if token else {}
    if token:
        step = f"{step} value(token) gives what the calls returned; do not repeat them.".strip()
    line = {"line": broken.line, "code": broken.source} if broken.line else {}
    printed = {"printed": broken.printed} if broken.printed else {}
    notices = {} if ended is None or not ended.notices else {"notices": list(ended.notices)}
    step = step or "Correct the program, and run it again."
    core = {"error": broken.error, **kept, "next_step": step}
    forms: list[Mapping[str, Any]] = [
        {"error": broken.error, **line, **printed, **called, **notices, **core},
        {"error": broken.error, **line, **called, **core},
        core,
        *({**kept, "error": clip(broken.error, n), "next_step": step} for n in _ERROR_CHARS),
        *(
            {**kept, "error": clip(broken.error, n), "next_step": clip(step, n)}
            for n in _ERROR_CHARS
        ),
    ]
    return request.answer(_first_that_fits(request, forms).wire())


def _first_that_fits(request: Request, forms: list[Mapping[str, Any]]) -> Reply:
    frame = request.known.frame(is_modern=request.is_modern)
    replies = [Reply(encode(form), is_error=True, frame=frame) for form in forms]
    budget, meter = request.policy.budget, request.meter
    return next((reply for reply in replies if budget.admits(reply.everything, meter)), replies[-1])


def _passes(request: Request, text: str, told: list[str]) -> bool:
    """Return whether an answer passes whole, with this beside it."""
    frame = request.known.frame(is_modern=request.is_modern)
    sent = Result(content=(_block(text), _block("\n".join(told))))
    wire = Reply(untouched=sent, frame=frame).everything
    return request.policy.inline_budget.admits(wire, request.meter)


def _takes_little(request: Request, told: str) -> bool:
    """Return whether a notice leaves most of a probe to the probe."""
    frame = request.known.frame(is_modern=request.is_modern)
    scale = ReplyScale(request.policy.budget, frame, request.meter).capped(bytes=PROBE_BYTES)
    return scale.takes_little(told)


def _footer(request: Request, ended: EndedProgram, token: str) -> str:
    """Return what the calls of a program were, and what they would have cost. The token is for the
    explorer: a user may want to look at what the calls returned, and an agent knows already."""
    shown = f" {token}" if has_explorer(request) else ""
    kept = shown if token else " The store did not take what they returned."
    forms = [
        f"Called {_counted(ended, tools)}: ~{_rounded(ended.tokens):,} tokens.{kept}"
        for tools in (_MOST_TOOLS, 2, 0)
    ]
    return next((form for form in forms if _takes_little(request, form)), forms[-1])


def _rounded(count: int) -> int:
    """Return an estimate with two digits that count."""
    return round(count, min(2 - len(str(count)), 0))


def _counted(ended: EndedProgram, most: int) -> str:
    counts = Counter(str(call["tool"]) for call in ended.calls).most_common()
    told = [f"{tool} {count}x" for tool, count in counts[:most]]
    if not told:
        return f"{len(counts)} tools {len(ended.calls)}x"
    more = len(counts) - len(told)
    return ", ".join([*told, *([f"{more} more tools"] if more else [])])


def _kept_calls(request: Request, ended: EndedProgram) -> Steps[str]:
    """Store what the calls of a program returned. Return the token, or "" if that failed."""
    token: str = yield Keep(_call(request, ended), Result(structured=list(ended.calls)))
    return token


def _kept(request: Request, printed: str, ended: EndedProgram) -> Steps[str]:
    """Store what a program printed. Return its length, its token, and a part of it."""
    result = Result(content=(_block(printed),))
    token: str = yield Keep(_call(request, ended), result)
    kept = f", kept as {token}" if token else ""
    told = f"{len(printed):,} characters{kept}"
    forms = [f"{told}:\n{_cut(printed, most)}" if most else f"{told}." for most in _PARTS]
    return next((form for form in forms if _takes_little(request, form)), forms[-1])


def _call(request: Request, ended: EndedProgram) -> Call:
    """Return the call whose result the store keeps. All sources of the program are its origin."""
    call = replace(call_of(request, {}), is_merged=False)
    return replace(call, origin=origin_of(ended.sources))


def _block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _cut(text: str, most: int) -> str:
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"
