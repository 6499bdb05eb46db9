"""A client of the endpoint, by Django's test client: each message is a real request to the site."""

import json
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
ERAS = (LEGACY, MODERN)


@dataclass
class Agent:
    """A client that sends `headers` with every request, and keeps the last response in `last`."""

    era: str = LEGACY
    client: Client = field(default_factory=Client)
    headers: dict[str, str] = field(default_factory=dict)
    last: Any = None
    calls: int = 0

    @classmethod
    def of(cls, user, era=LEGACY):
        """Make an agent of a user, by a token of REST framework's."""
        from rest_framework.authtoken.models import Token

        token, _ = Token.objects.get_or_create(user=user)
        return cls(era, headers={"Authorization": f"Token {token.key}"})

    def message(self, method, params=None, key=None):
        self.calls += 1
        params = dict(params or {})
        if self.era == MODERN:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            }
        return {"jsonrpc": "2.0", "id": key or self.calls, "method": method, "params": params}

    def own_headers(self, message):
        """Return the headers in which the modern era repeats parts of a message."""
        if self.era != MODERN or not isinstance(message, dict):
            return {"Mcp-Protocol-Version": self.era}
        told = {"Mcp-Protocol-Version": self.era, "Mcp-Method": message.get("method", "")}
        name = message.get("params", {}).get("name") or message.get("params", {}).get("uri")
        return {**told, "Mcp-Name": name} if name else told

    def post(self, body, **headers):
        """Send bytes or text as they are, and any other value as JSON."""
        sent = body if isinstance(body, str | bytes) else json.dumps(body)
        given = {"Accept": "application/json, text/event-stream", **self.headers}
        given |= self.own_headers(body) | headers
        self.last = self.client.post(
            "/mcp/", sent, content_type=given.pop("Content-Type", "application/json"), headers=given
        )
        return self.last

    def request(self, method, params=None, **headers):
        """Return the answer: a result or an error."""
        answer = self.post(self.message(method, params), **headers).json()
        assert answer["jsonrpc"] == "2.0"
        return answer

    def ask(self, method, params=None):
        answer = self.request(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def tools(self):
        listed = self.ask("tools/list")["tools"]
        return {tool["name"]: tool for tool in listed}

    def call(self, tool, /, **arguments):
        """Return the result of a call, as it was sent."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def value(self, tool, /, **arguments):
        """Return the value of a result, which must not be an error."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        text = result["content"][0]["text"]
        try:
            return json.loads(text)
        except ValueError:
            return text

    def error(self, tool, /, **arguments):
        result = self.call(tool, **arguments)
        assert result["isError"] is True, result
        return json.loads(result["content"][0]["text"])

    def walk(self, tool, page):
        """Return all rows from a first page on, by `next` alone."""
        rows = list(page.get("results", page.get("items")))
        while page["next"]:
            page = self.value(tool, continuation_token=page["next"])
            rows += page["items"]
        return rows
