"""An MCP server on stdio that sends messages when a test wants them. It has no SDK.

The tool `tell` keeps a secret. The tool `leak` sends the secret in messages that name no request, asks
the client for a sample, and returns the answer to that. `change` says that the list of tools has
changed. A subscription is closed by `close`, as servers close one on stdio: by a cancellation.

A call of `begin` makes progress once, and stays open. `go_on` makes the progress that the test asks for, and
answers all calls of `begin`. `say` sends a log message after its answer.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

VERSION = "2026-07-28"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
CACHE = {"ttlMs": 600_000, "cacheScope": "public"}
ROWS = [{"id": n, "text": "x" * 40} for n in range(2_000)]
NAMES = (
    "tell", "leak", "change", "close", "lists", "stop_reading", "begin", "go_on", "say", "cancelled",
)  # fmt: skip


class Server:
    def __init__(self) -> None:
        self.secret = ""
        self.lists = 0
        self.reads = True
        self.subscriptions: list[Any] = []
        self.begun: list[dict[str, Any]] = []
        self.cancelled: list[Any] = []
        self.asked_for: Any = None  # the id of the call that waits for the client's sample

    def run(self) -> None:
        for line in sys.stdin:
            given = json.loads(line)
            for message in given if isinstance(given, list) else [given]:
                self.take(message)
            if not self.reads:
                threading.Event().wait()

    def take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            self.answer(self.asked_for, told(message))
        elif method == "notifications/cancelled":
            self.cancelled.append(message["params"]["requestId"])
        elif "id" in message:
            getattr(self, method.replace("/", "_"), self.unknown)(message)

    def unknown(self, message: dict[str, Any]) -> None:
        error = {"code": -32601, "message": "Method not found"}
        send({"id": message["id"], "error": error})

    def answer(self, key: Any, result: dict[str, Any]) -> None:
        send({"id": key, "result": {**result, "resultType": "complete"}})

    def initialize(self, message: dict[str, Any]) -> None:
        about = {"protocolVersion": message["params"]["protocolVersion"]}
        info = {"name": "stray", "version": "1"}
        self.answer(message["id"], {**about, "capabilities": {"tools": {}}, "serverInfo": info})

    def server_discover(self, message: dict[str, Any]) -> None:
        about = {"supportedVersions": [VERSION], "capabilities": {"tools": {}}}
        self.answer(message["id"], {**about, **CACHE})

    def tools_list(self, message: dict[str, Any]) -> None:
        self.lists += 1
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in NAMES]
        self.answer(message["id"], {"tools": tools, **CACHE})

    def subscriptions_listen(self, message: dict[str, Any]) -> None:
        self.subscriptions.append(message["id"])
        about = {"notifications": {}, "_meta": {SUBSCRIPTION: message["id"]}}
        send({"method": "notifications/subscriptions/acknowledged", "params": about})

    def tools_call(self, message: dict[str, Any]) -> None:
        name, given = message["params"]["name"], message["params"].get("arguments", {})
        result = getattr(self, f"tool_{name}")(message, **given)
        if result is not None:
            self.answer(message["id"], result)

    def tool_tell(self, _message: dict[str, Any], secret: str) -> dict[str, Any]:
        self.secret = secret
        return told("kept")

    def tool_leak(self, message: dict[str, Any]) -> None:
        self.asked_for = message["id"]
        about = {"level": "info", "data": self.secret}
        send({"method": "notifications/message", "params": about})
        send({"method": "notifications/resources/updated", "params": {"uri": self.secret}})
        send({"id": "sample", "method": "sampling/createMessage", "params": about})

    def tool_change(self, _message: dict[str, Any]) -> dict[str, Any]:
        send({"method": "notifications/tools/list_changed"})
        return told("said")

    def tool_close(self, _message: dict[str, Any]) -> dict[str, Any]:
        for key in self.subscriptions:
            send({"method": "notifications/cancelled", "params": {"requestId": key}})
        return told("closed")

    def tool_lists(self, _message: dict[str, Any]) -> dict[str, Any]:
        return told(self.lists)

    def tool_stop_reading(self, _message: dict[str, Any]) -> dict[str, Any]:
        self.reads = False
        return told("deaf")

    def tool_begin(self, message: dict[str, Any], **_: Any) -> None:
        self.begun.append(message)
        progress(message, 0, "")

    def tool_go_on(self, _message: dict[str, Any], count: int = 0, size: int = 0) -> dict[str, Any]:
        begun, self.begun = self.begun, []
        for message in begun:
            for number in range(1, count + 1):
                progress(message, number, "x" * size)
            self.answer(message["id"], told(ROWS))
        return told("done")

    def tool_say(self, message: dict[str, Any], words: str) -> None:
        self.answer(message["id"], told("said"))
        about = {"level": "info", "data": words}
        send({"method": "notifications/message", "params": about})

    def tool_cancelled(self, _message: dict[str, Any]) -> dict[str, Any]:
        return told(self.cancelled)


def progress(message: dict[str, Any], number: int, words: str) -> None:
    token = message["params"].get("_meta", {}).get("progressToken")
    if token is not None:
        about = {"progressToken": token, "progress": number, "message": words}
        send({"method": "notifications/progress", "params": about})


def told(value: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    Server().run()
