"""Results that real servers sent: the questions that a person would ask get the right answers."""

from __future__ import annotations

import hashlib

import pytest
from gate_agent import ANN

from corpus import recordings
from penstock import Call, Gate, Policy, Result
from penstock.core.model.values import ABSENT

RECORDINGS = {one.name: one for one in recordings()}
# Formats that are lines until there is a module for them.
LATER = {"yaml", "xml", "html table", "markdown table", "columns", "logfmt"}


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
            marks = ()
            yield pytest.param(recording, question, id=f"{name}-{number}", marks=marks)


@pytest.mark.parametrize(("recording", "question"), [*cases()])
def test_a_question_gets_the_right_answer(gate, stored, recording, question):
    probe = stored(recording)
    token = probe.value["continuation_token"]
    call = Call(
        recording.tool, {"continuation_token": token, **question.request}, ANN, recording.server
    )
    reply = gate.call(call, None)
    assert not reply.is_error, reply.text
    items = reply.value["items"] if question.mode == "sql" else []
    while question.mode == "sql" and reply.value.get("next"):
        following = {"continuation_token": reply.value["next"]}
        reply = gate.call(Call(recording.tool, following, ANN, recording.server), None)
        items += reply.value["items"]
    assert answered(reply, question, items) == question.answer


def answered(reply, question, items):
    match question.mode:
        case "sql":
            return items
        case "search":
            return {"total": reply.value["total"]}
        case "paginated":
            return {name: reply.value[name] for name in question.answer}
        case "full":
            data = reply.text.encode()
            return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    raise AssertionError(question.mode)
