"""Results that real servers sent: the questions that a person would ask get the right answers."""

from __future__ import annotations

import base64
import hashlib

import pytest
from gate_agent import ANN
from shown_rows import shown_rows

from corpus import recordings
from penstock import Call, Gate, Policy, Result
from penstock.core.model.values import ABSENT

RECORDINGS = {one.name: one for one in recordings()}


@pytest.fixture(scope="module")
def gate():
    gate = Gate(Policy(budget="8kB", ceiling="400kB"))
    yield gate
    gate.close()


@pytest.fixture(scope="module")
def stored(gate):
    """Return a function that stores a recording once, and returns its probe."""
    probes = {}

    def probe_of(recording):
        if recording.name not in probes:
            sent = recording.result
            result = Result(
                content=sent["content"],
                structured=sent.get("structuredContent", ABSENT),
                is_error=sent.get("isError", False),
                meta=sent.get("_meta", {}),
            )
            call = Call(recording.tool, principal=ANN, server=recording.server, heavy=True)
            probes[recording.name] = gate.offer(call, result)
        return probes[recording.name]

    return probe_of


def cases():
    for name, recording in RECORDINGS.items():
        for number, question in enumerate(recording.questions):
            yield pytest.param(recording, question, id=f"{name}-{number}")


@pytest.mark.parametrize(("recording", "question"), [*cases()])
def test_a_question_gets_the_right_answer(gate, stored, recording, question):
    first = stored(recording)
    if question.mode == "full" and first.content[-1]["type"] == "image":
        assert digest(base64.b64decode(first.content[-1]["data"])) == question.answer
        return
    if not isinstance(first.value, dict) or "continuation_token" not in first.value:
        assert question.request["query"] in first.text  # smaller than a probe, and sent as it is
        return
    pages = [look(gate, recording, first.value["continuation_token"], **question.request)]
    while question.mode == "sql" and pages[-1].value.get("next"):
        pages.append(look(gate, recording, pages[-1].value["next"]))
    assert answered(pages, question) == question.answer


def look(gate, recording, token, **fields):
    given = {"continuation_token": token, **fields}
    reply = gate.call(Call(recording.tool, given, ANN, recording.server), None)
    assert not reply.is_error, reply.text
    return reply


def answered(pages, question):
    (reply, *_) = pages
    match question.mode:
        case "sql":
            return [item for page in pages for item in shown_rows(page.value)]
        case "search":
            return {"total": reply.value["total"]}
        case "paginated":
            return {name: reply.value[name] for name in question.answer}
        case "full":
            return digest(reply.text.encode())
    raise AssertionError(question.mode)


def digest(data):
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
