"""The calls that every client of these tests makes, on any connection."""

import json
from itertools import count
from typing import Any

from relay_weights import over

from penstock.core.budget.budget import Budget


class Caller:
    """An agent that has only the tools. A subclass for a connection adds `send_request`."""

    budget = Budget(bytes=25_000)
    ceiling = Budget(chars=150_000)

    def __init__(self):
        self.ids = count(1)
        self.received: list[int] = []  # bytes of each result

    def send_request(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request, and return its answer."""
        raise NotImplementedError

    def request(self, method: str, params: dict[str, Any] | None = None, **members) -> dict:
        return {
            "jsonrpc": "2.0",
            "id": next(self.ids),
            "method": method,
            "params": dict(params or {}),
            **members,
        }

    def ask(self, method: str, params: dict[str, Any] | None = None, **members) -> dict[str, Any]:
        return self.send_request(self.request(method, params, **members))

    def listed(self) -> dict[str, Any]:
        """Return the result of `tools/list`."""
        return self.ask("tools/list")["result"]

    def call(self, name: str, /, **arguments) -> dict[str, Any]:
        """Call a tool, and return its result."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        assert "result" in answer, answer
        return answer["result"]

    def weighed(self, name: str, /, **arguments) -> dict[str, Any]:
        """Call a tool, and check here too that the result fits the budget."""
        result = self.call(name, **arguments)
        self.received.append(len(compact(result)))
        limit = self.ceiling if arguments.get("mode") == "full" else self.budget
        assert not over(compact(result), limit), (name, arguments)
        return result

    def probe(self, name: str, /, **arguments) -> dict[str, Any]:
        """Call a tool with a large result, and return the probe."""
        envelope = value_of(self.weighed(name, **arguments))
        assert "continuation_token" in envelope, envelope
        return envelope

    def read(self, token: str, reader="read_result", **fields) -> Any:
        """Return the reader's reply as a value."""
        return value_of(self.read_result(token, reader, **fields))

    def read_result(self, token: str, reader="read_result", **fields) -> dict[str, Any]:
        result = self.weighed(reader, continuation_token=token, **fields)
        assert not result.get("isError"), result
        return result

    def pages(self, token: str, reader="read_result", **fields):
        """Yield every page, from the first to the one without a next."""
        page = self.read(token, reader, **fields)
        yield page
        while page["next"]:
            page = self.read(page["next"], reader)
            yield page

    def rows(self, token: str, reader="read_result", **fields) -> list[Any]:
        """Return the rows of all pages."""
        return [row for page in self.pages(token, reader, **fields) for row in page["items"]]


def compact(value: Any) -> bytes:
    wire = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    halves = {ord(half): f"\\u{ord(half):04x}" for half in wire if "\ud800" <= half <= "\udfff"}
    return wire.translate(halves).encode()


def value_of(result: dict[str, Any]) -> Any:
    """Return the value of the JSON in the text of a result."""
    return json.loads(result["content"][0]["text"])


def table(count: int = 1_000) -> list[dict[str, Any]]:
    """Return rows of about 40 bytes each."""
    return [
        {"id": number, "city": f"city {number % 7}", "open": number % 3 == 0}
        for number in range(count)
    ]
