"""The log of dropped messages, and the names of requests that clients have left."""

import logging

from penstock.relay.http.drop_log import DropLog
from penstock.relay.http.renaming import Renaming
from penstock.wire import messages


def test_a_kind_is_told_once_a_minute(caplog):
    caplog.set_level(logging.INFO, "penstock")
    now = 0.0
    log = DropLog(now=lambda: now)
    for _ in range(5):
        log.note("notifications/message", "nobody's")
    log.note("sampling/createMessage", "nobody's")
    assert len(caplog.records) == 2
    now = 61.0
    log.note("notifications/message", "nobody's")
    assert "4 more" in caplog.records[-1].getMessage()


def test_names_that_upstream_chooses_are_bounded(caplog):
    caplog.set_level(logging.INFO, "penstock")
    log = DropLog(now=lambda: 0.0)
    log.note("x" * 1_000_000, "nobody's")
    assert len(caplog.records[-1].getMessage()) < 200


def test_nothing_is_kept_of_a_client_that_has_left():
    renaming = Renaming()
    one, other = object(), object()
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1}}}'
    read = messages.read_message(line)
    names = {owner: renaming.outgoing(owner, line, read)[0] for owner in (one, other)}
    assert renaming.forget(one) == [names[one]]
    late = messages.response(names[one], b"{}")
    assert renaming.incoming(late, messages.read_message(late)) is None
    assert renaming.owners() == [other]


def test_a_server_closes_only_subscriptions():
    renaming = Renaming()
    owner = object()
    for method, closed in (("tools/call", None), ("subscriptions/listen", owner)):
        line = messages.request(b"1", method, b"{}")
        name, _ = renaming.outgoing(owner, line, messages.read_message(line))
        told = messages.cancellation(name, "over")
        assert renaming.closed_by(messages.read_message(told)) is closed
