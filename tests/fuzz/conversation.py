"""A client and an upstream that say anything, with a session between them.

The session may answer, forward or wait, but each of the client's requests gets one answer, unless the
client cancels it or upstream itself answers it several times.
"""

import json
import logging
from collections import Counter
from contextlib import suppress
from typing import Any, Self

from relay_rig import Rig, table
from relay_upstream import Fault, Upstream, text, tool

from penstock.wire import messages
from penstock.wire.received import mended

__all__ = ["Conversation", "Faults"]

TOOLS = [tool("rows"), tool("take", {"value": {}}), tool("echo", {"text": {"type": "string"}})]
_ANSWER = b'{"jsonrpc":"2.0","id":'
_FAILED = "Penstock failed on this request"


class Faults(logging.Handler):
    """The errors of Penstock's own in the log. Use it as a context."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        told = logging.Formatter().format(record)
        self.found.append(told)

    def __enter__(self) -> Self:
        logging.getLogger("penstock").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("penstock").removeHandler(self)


class Tolerant(Upstream):
    """An upstream that refuses what it does not understand."""

    def answer(self, line: bytes) -> list[bytes]:
        try:
            return super().answer(line)
        except (ValueError, RecursionError):
            return []

    def _one(self, message: Any) -> list[bytes]:
        if not isinstance(message, dict):
            return []
        return super()._one(message)

    def _result(self, method: Any, params: Any) -> Any:
        try:
            return super()._result(method, params)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Fault(-32602, f"Invalid params: {error!r}") from error


class TolerantRig(Rig):
    """A rig that weighs the answers to ids that are no ids, and knows lines that were repaired."""

    is_repairing = False  # of a line that is no UTF-8, which may become a message of any form

    def _of_upstream(self, line: bytes) -> Any:
        self.is_repairing = line.decode(errors="replace").encode() != line
        with suppress(ValueError):
            parts = messages.batch_of(line) or [line]
            self._forwardable.update(parts)
            self._forwardable.update(filter(None, map(mended, parts)))
        return super()._of_upstream(line)

    def _weigh(self, message: bytes) -> None:
        if self.is_repairing:
            return
        if message.startswith(_ANSWER) and message not in self._forwardable:
            key, end = json.JSONDecoder().raw_decode(message.decode(), len(_ANSWER))
            if not isinstance(key, int | str):
                message = _ANSWER + b"0" + message.decode()[end:].encode()
        super()._weigh(message)


class Conversation:
    """A rig, and a count of what was asked and answered."""

    def __init__(self, era: str = "legacy", **settings: Any) -> None:
        results = {"rows": text(table(80)), "take": text("taken"), "echo": text("echoed")}
        self.upstream = Tolerant(era, [*TOOLS], results)
        self.rig = TolerantRig(self.upstream, budget="2kB", ceiling="4kB", **settings)
        self.rig.down.clear()
        self.asked: Counter[str] = Counter()
        self.cancelled: set[str] = set()
        self.answered_by_upstream: Counter[str] = Counter()
        self.invented = {"null"}  # ids that others use: upstream, and errors about no message

    def token(self) -> str:
        """Return the token of a stored result."""
        found = self.rig.probe("rows")["continuation_token"]
        self.rig.down.clear()
        return found

    def client_sends(self, line: bytes) -> None:
        for message in messages_in(line):
            if is_request(message):
                self.asked[key_of(message)] += 1
            elif isinstance(message, dict) and "id" in message and "method" in message:
                self.invented.add(key_of(message))  # no request, but the upstream of a rig answers
            elif isinstance(message, dict) and "cancel" in str(message.get("method")):
                params = message.get("params")
                named = params.get("requestId") if isinstance(params, dict) else None
                self.cancelled.add(json.dumps(named))
        self.rig.from_client(line)

    def upstream_sends(self, line: bytes) -> None:
        self.invented.update(
            key_of(message)
            for message in messages_in(line)
            if isinstance(message, dict) and "id" in message
        )
        self.rig.from_upstream(line)

    def end(self) -> None:
        """End upstream, and check that every request has its answer."""
        self.rig.upstream_ends()
        self.rig.work()
        found = Counter(
            key_of(message)
            for line in self.rig.down
            for message in messages_in(line, is_ours=line not in self.rig._forwardable)
            if isinstance(message, dict) and "method" not in message
        )
        for key, count in self.asked.items():
            if key in self.cancelled:
                continue
            assert found[key] >= 1, (key, self.rig.down)
            assert found[key] <= count or key in self.invented, (key, self.rig.down)
        assert self.rig.session.pending == {}
        assert not any(_FAILED.encode() in line for line in self.rig.down), self.rig.down

    def close(self) -> None:
        self.rig.close()


def is_request(message: Any) -> bool:
    return isinstance(message, dict) and "id" in message and isinstance(message.get("method"), str)


def key_of(message: Any) -> str:
    return json.dumps(message.get("id"))


def messages_in(line: bytes, *, is_ours: bool = False) -> list[Any]:
    """Return the messages of a line. One of Penstock's must be one line of JSON in UTF-8."""
    assert not is_ours or b"\n" not in line, line
    try:
        read = json.loads(
            line.decode(errors="strict" if is_ours else "replace"),
            parse_float=repr,
            parse_constant=_refuse,
        )
    except (ValueError, RecursionError):
        assert not is_ours, line
        return []
    return read if isinstance(read, list) else [read]


def _refuse(name: str) -> None:
    raise ValueError(name)
