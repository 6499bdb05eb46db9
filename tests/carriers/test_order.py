"""Messages keep their order, and each request gets its own answer, once."""

import json

from call_stages import ROWS, probe
from contract import carriers_for
from relay_processes import wait_until

WORDS = 20
CALLS = 24


@carriers_for("notifications from the client")
def test_notifications_reach_upstream_in_order_as_they_were_spelled(rig, client):
    assert_passed_on(rig, client, [notification(number) for number in range(WORDS)])


@carriers_for("requests among notifications")
def test_a_request_keeps_its_place_among_notifications(rig, client):
    numbers = range(WORDS)
    assert_passed_on(rig, client, [notification(n) if n % 3 else ping(n) for n in numbers])


def assert_passed_on(rig, client, sent):
    for line in sent:
        client.send(line)
    wait_until(lambda: len(passed_on(rig)) == len(sent), "the last message")
    assert passed_on(rig) == sent


def passed_on(rig):
    heard = rig.stage.heard("notifications/roots/list_changed", "ping")
    return [one.line.encode() for one in heard]


def notification(number):
    """Return a notification in a spelling that no encoder would choose."""
    params = f'{{"_meta" : {{ "note" :"t\\u0020é",  "number":{number}.0 }}}}'
    method = "notifications/roots/list_changed"
    return f'{{"method":"{method}", "params":{params},"jsonrpc":"2.0"}}'.encode()


def ping(number):
    return b'{"id":"ping %d",  "method":"ping" ,"jsonrpc":"2.0"}' % number


@carriers_for("notifications from upstream")
def test_log_messages_and_progress_reach_the_client_in_order_as_they_were_spelled(rig, client):
    asked = {"name": "talk", "arguments": {"count": WORDS}, "_meta": {"progressToken": "mine"}}
    assert client.text(client.ask("tools/call", asked)) == f"{WORDS} words"
    got, said = client.notifications(), [line.encode() for line in rig.stage.said()]
    is_shared = str(rig.carrier) in ("serve-modern", "serve-servers-modern")
    if is_shared:  # the clients share one server, so nobody gets a log
        said = [line for line in said if line not in logs([line])]
    else:
        assert len(got) == WORDS
    assert [meaning(line) for line in got] == [meaning(line) for line in said]
    if rig.carrier.upstream != "inside":  # there the framework spells them
        assert logs(got) == logs(said)


def meaning(line):
    """Return a notification's content, without the id that the request has at upstream."""
    message = json.loads(line)
    return message["method"], {**message["params"], "progressToken": None}


def logs(lines):
    """Return the notifications that name no request, and so are the same for all clients."""
    return [line for line in lines if b'"notifications/message"' in line]


@carriers_for("many calls")
def test_of_many_calls_at_once_each_gets_one_answer_and_its_own(client):
    asked = {call(client, number): number for number in range(CALLS)}
    assert_each_has_its_own_answer(client, asked)


@carriers_for("two clients")
def test_clients_that_use_the_same_ids_get_their_own_answers(rig, client):
    other, ours, theirs = rig.client(), {}, {}
    for number in range(CALLS // 2):
        ours[call(client, number)] = number
        theirs[call(other, CALLS + number)] = CALLS + number
    assert ours.keys() == theirs.keys()
    assert_each_has_its_own_answer(client, ours)
    assert_each_has_its_own_answer(other, theirs)


def call(client, number):
    """Ask for a small result or for a large one, in turn."""
    if number % 2:
        return client.call("large", rows=ROWS + number)
    return client.call("small", text=f"text {number}")


def assert_each_has_its_own_answer(client, asked):
    for key, number in asked.items():
        if number % 2:
            assert probe(client, key)["count"] == ROWS + number
        else:
            assert client.text(key) == f"text {number}"
    client.close()
    assert [len(client.answers(key)) for key in asked] == [1] * len(asked)
