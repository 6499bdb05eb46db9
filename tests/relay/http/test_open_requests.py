"""The number of requests that one party may have in progress."""

import json
from contextlib import ExitStack

from penstock.core.model.values import Principal
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.open_requests import MOST_OF_PARTY, MOST_OF_PEER, OpenRequests
from penstock.wire import messages

CALL = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}'
LIST = b'{"jsonrpc":"2.0","id":8,"method":"tools/list"}'
NOTICE = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
EVE, ANN = Principal("session:eve"), Principal("session:ann")


def posted(body, principal=EVE, **facts):
    is_batch = body.startswith(b"[")
    message = None if is_batch else messages.read_message(body)
    return Inbound(body=body, message=message, principal=principal, **facts)


def answer(requests, inbound):
    with requests.of(inbound) as refusal:
        return json.loads(refusal) if refusal else None


def full(stack, inbound, most=MOST_OF_PARTY):
    requests = OpenRequests()
    for _ in range(most):
        assert not stack.enter_context(requests.of(inbound))
    return requests


def test_a_party_with_too_many_requests_is_told_when_to_try_again():
    with ExitStack() as stack:
        requests = full(stack, posted(CALL))
        called = answer(requests, posted(CALL))
        assert called["id"] == 7
        assert called["result"]["isError"]
        told = json.loads(called["result"]["content"][0]["text"])
        assert told == {
            "error": "Too many requests at once: at most 100 of yours may be in progress.",
            "next_step": "Try again in 5 s, with fewer at once.",
        }
        listed = answer(requests, posted(LIST))
        assert listed["error"]["code"] == messages.BUSY
        assert "Try again in 5 s" in listed["error"]["message"]
    assert answer(requests, posted(CALL)) is None


def test_others_and_messages_that_need_no_answer_are_let_in():
    with ExitStack() as stack:
        requests = full(stack, posted(CALL))
        assert answer(requests, posted(CALL, ANN)) is None
        assert answer(requests, posted(NOTICE)) is None


def test_a_modern_refusal_is_a_complete_result():
    with ExitStack() as stack:
        inbound = posted(CALL, is_modern=True)
        requests = full(stack, inbound)
        assert answer(requests, inbound)["result"]["resultType"] == "complete"


def test_each_request_of_a_batch_counts():
    batch = b"[" + b",".join([CALL, LIST, NOTICE]) + b"]"
    with ExitStack() as stack:
        requests = full(stack, posted(CALL), MOST_OF_PARTY - 1)
        assert [one["id"] for one in answer(requests, posted(batch))] == [7, 8]
        assert answer(requests, posted(CALL)) is None
    too_long = b"[" + b",".join([CALL] * (MOST_OF_PARTY + 1)) + b"]"
    assert len(answer(requests, posted(too_long))) == MOST_OF_PARTY + 1


def test_callers_without_a_name_share_the_places_of_their_address():
    with ExitStack() as stack:
        unknown = posted(CALL, Principal(), peer="10.0.0.1")
        requests = full(stack, unknown, MOST_OF_PEER)
        assert answer(requests, unknown) is not None
        assert answer(requests, posted(CALL, Principal(), peer="10.0.0.2")) is None
        assert answer(requests, posted(CALL, EVE, peer="10.0.0.1")) is None
