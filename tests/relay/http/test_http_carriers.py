"""Work in its own threads, a store that closes after the work, and one log line for a broken stream."""

import asyncio
import threading

import msgspec

from penstock import Gate
from penstock.core.model.values import Principal
from penstock.engine.engine import Engine
from penstock.relay.http.carrier import Workshop
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.url_gateway import UrlGateway
from penstock.relay.target import Target
from penstock.wire.effects import StepAside
from penstock.wire.outputs import Perform
from penstock.wire.request import Connection, Request


class Busy(Engine):
    """An engine whose work lasts until the test ends it or the request is cancelled."""

    def __init__(self, gate):
        super().__init__(gate)
        self.has_begun, self.may_end = threading.Event(), threading.Event()
        self.ended = 0

    def carry_out(self, _session, output, _kinds):
        self.has_begun.set()
        with output.request.cancellation.bound_to(self.may_end.set):
            assert self.may_end.wait(30)
        self.ended += 1
        return []


def work():
    connection = Connection(None, Principal("ann"), "server")
    request = Request(connection, b"1", "tools/call", msgspec.UNSET, b"", is_modern=False)
    return Perform(request, StepAside())


async def closed_while_busy():
    """Return how much work had ended when the workshop was closed."""
    with Gate() as gate:
        engine = Busy(gate)
        workshop = Workshop(engine)
        works = [asyncio.create_task(workshop.carry_out(None, work())) for _ in range(3)]
        await asyncio.to_thread(engine.has_begun.wait, 30)
        works[0].cancel()  # Its client has left, but its thread goes on.
        await workshop.close()
        return engine.ended


def test_closing_stops_what_is_under_way_and_waits_for_that():
    assert asyncio.run(closed_while_busy()) == 3


async def others_while_busy():
    """Use another thread while every thread for work is busy."""
    with Gate() as gate:
        engine = Busy(gate)
        workshop = Workshop(engine)
        works = [asyncio.create_task(workshop.carry_out(None, work())) for _ in range(64)]
        await asyncio.to_thread(engine.has_begun.wait, 30)
        found = await asyncio.to_thread(lambda: engine.ended)
        engine.may_end.set()
        await asyncio.gather(*works)
        await workshop.close()
        return found


def test_slow_work_does_not_hold_up_other_threads():
    assert asyncio.run(others_while_busy()) == 0


async def listened_until_it_broke():
    """Let a legacy client listen to an upstream whose stream ends in the middle."""

    async def break_off(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        head = b"content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(b"HTTP/1.1 200 OK\r\n" + head + b"2\r\n: \r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(break_off, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    with Gate() as gate:
        gateway = UrlGateway(gate, Target(url=f"http://{host}:{port}/mcp"))
        queue = ReplyQueue()
        await gateway.listen(Inbound(session="s"), queue)
        await gateway.close()
    server.close()
    return queue.is_stream


def test_a_stream_that_breaks_off_is_told_in_one_line(caplog):
    assert asyncio.run(listened_until_it_broke())
    (record,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert "broke off" in record.message
    assert record.exc_info is None
