"""The agent's connection to an MCP server: the protocol, and one by the official SDK."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

_MOST_PAGES: Final = 1_000
_NOT_FOR_READING: Final = ("data", "blob")


@dataclass(frozen=True)
class Received:
    """A reply as a model reads it."""

    text: str
    is_error: bool = False
    code: int | None = None  # of a JSON-RPC error


class Server(Protocol):
    """A connection. Its tools and resources are as the server lists them."""

    @property
    def instructions(self) -> str: ...

    async def list_tools(self) -> Sequence[Mapping[str, Any]]: ...

    async def list_resources(self) -> Sequence[Mapping[str, Any]]: ...

    async def read_resource(self, uri: str) -> Received: ...

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Received: ...


class SdkServer:
    """A connected `mcp.Client` of the official SDK."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @property
    def instructions(self) -> str:
        return self._client.instructions or ""

    async def list_tools(self) -> list[dict[str, Any]]:
        return await _all_pages("tools", self._client.list_tools)

    async def list_resources(self) -> list[dict[str, Any]]:
        """Return the resources; an empty list if the server has no such list."""
        try:
            return await _all_pages("resources", self._client.list_resources)
        except Exception as error:  # noqa: BLE001 (the SDK is not imported, so its error has no name)
            _refusal(error)
            return []

    async def read_resource(self, uri: str) -> Received:
        return await _received(self._client.read_resource(uri), "contents")

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Received:
        return await _received(self._client.call_tool(name, arguments), "content")


async def _all_pages(name: str, ask: Callable[..., Awaitable[Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = _as_sent(await ask(cursor=cursor))
        found += page[name]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    return found


async def _received(asked: Awaitable[Any], name: str) -> Received:
    try:
        result = _as_sent(await asked)
    except Exception as error:  # noqa: BLE001 (as above)
        return _refusal(error)
    text = "\n".join(_readable(result.get(name, ())))
    structured = result.get("structuredContent")
    if not text and structured is not None:
        text = json.dumps(structured, ensure_ascii=False)
    return Received(text, is_error=result.get("isError") is True)


def _refusal(error: Exception) -> Received:
    """Return the server's error that the SDK raised. Raise any other exception again."""
    told = getattr(error, "error", None)
    code = getattr(told, "code", None)
    if not isinstance(code, int):
        raise error
    return Received(str(getattr(told, "message", error)), is_error=True, code=code)


def _as_sent(result: Any) -> dict[str, Any]:
    sent: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return sent


def _readable(blocks: Iterable[dict[str, Any]]) -> Iterable[str]:
    """Yield each text unchanged, and any other block as JSON without its data."""
    for block in blocks:
        inner = block.get("resource", block)
        if isinstance(inner.get("text"), str):
            yield inner["text"]
        else:
            shown = {key: value for key, value in inner.items() if key not in _NOT_FOR_READING}
            yield json.dumps(shown, ensure_ascii=False)
