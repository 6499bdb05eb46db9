"""Answers to enquiries about tools that are not listed in full."""

from __future__ import annotations

from typing import Any, assert_never

import msgspec

from penstock.core.model.values import Call, Result
from penstock.core.views.request import TOKEN_FIELD
from penstock.disclosure.describe_tools import DescribedReply, selection
from penstock.disclosure.discloser import Discloser
from penstock.disclosure.indirect import Inner, inner_call
from penstock.disclosure.on_demand import DisclosureAnswers
from penstock.disclosure.problems import problem
from penstock.disclosure.search.find_tools import MOST_FOUND
from penstock.gate.gate import Gate
from penstock.wire.effects import Describe, Enquiry, Find, Judge, Unwrap


def answer_enquiry(
    effect: Find | Describe | Unwrap | Judge, discloser: Discloser, gate: Gate
) -> DescribedReply | Inner | bytes:
    answers = _answers(effect.enquiry, discloser, gate)
    match effect:
        case Find():
            return _found(answers, effect)
        case Describe():
            return _described(answers, effect)
        case Unwrap():
            return inner_call(answers, effect.role, effect.through, effect.given)
        case Judge():
            return _refusal(answers, effect)
        case _:
            assert_never(effect)


def _answers(enquiry: Enquiry, discloser: Discloser, gate: Gate) -> DisclosureAnswers:
    return DisclosureAnswers(
        discloser,
        enquiry.catalogue,
        enquiry.listing,
        enquiry.audience,
        enquiry.holder,
        enquiry.fits,
        lambda whole: _kept(gate, enquiry.kept_as, whole),
        enquiry.kept_as.reader,
    )


def _kept(gate: Gate, call: Call, whole: bytes) -> dict[str, Any]:
    """Store a description that no reply can hold, like any large result."""
    probe = gate.offer(call, Result(structured=msgspec.Raw(whole))).value
    token = probe.get(TOKEN_FIELD) if isinstance(probe, dict) else None
    if token is None:
        return {}
    step = f"Pass this token to {call.reader} to read it all."
    return {TOKEN_FIELD: token, "next_step": step}


def _found(answers: DisclosureAnswers, effect: Find) -> DescribedReply:
    query, limit = effect.query, MOST_FOUND if effect.limit is None else effect.limit
    step = 'Try {"query": "send mail"}.'
    if not isinstance(query, str) or not query.strip():
        wrong = problem(answers.fits, "query must say what you want to do.", step)
        return DescribedReply(wrong, is_error=True)
    if not isinstance(limit, int) or not 1 <= limit <= MOST_FOUND:
        told = f"limit must be a number from 1 to {MOST_FOUND}."
        return DescribedReply(problem(answers.fits, told, step), is_error=True)
    return DescribedReply(answers.find(query, limit))


def _described(answers: DisclosureAnswers, effect: Describe) -> DescribedReply:
    if effect.names is None:
        step = 'Try {"tools": ["some_tool"]}.'
        return DescribedReply(
            problem(answers.fits, "tools must be a list of names.", step), is_error=True
        )
    return answers.describe(
        selection(effect.names, answers.catalogue),
        is_tool=effect.is_tool,
        is_whole=effect.is_whole,
        written_as=effect.written_as,
    )


def _refusal(answers: DisclosureAnswers, effect: Judge) -> bytes:
    tool = answers.catalogue.get(effect.tool)
    if tool is not None:
        return answers.refusal(tool, effect.arguments)
    if answers.gate == "strict" and effect.is_there:
        step = "Choose a listed tool."
        return problem(answers.fits, "There is no tool {}.", step, effect.tool)
    return b""  # upstream reports that there is no such tool
