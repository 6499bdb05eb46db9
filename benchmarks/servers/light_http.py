"""python -m benchmarks.servers.light_http [FOLDER]: `light.py` over streamable HTTP.

It prints its URL on stderr. Every reply is JSON, and every connection stays open.
"""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio import StreamReader, StreamWriter
from itertools import count

from benchmarks.servers.light import LightServer, results_in

_BACKLOG = 1_024
_ENDED = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"  # of a session, by DELETE
_ACCEPTED = b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"


class LightHttp:
    def __init__(self, results: dict[str, bytes]) -> None:
        self._server = LightServer(results)
        self._sessions = count(1)

    async def connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        while (head := await _head(reader)) is not None:
            body = await reader.readexactly(_length(head))
            writer.write(self._reply(body) if body else _ENDED)
            await writer.drain()
        writer.close()

    def _reply(self, body: bytes) -> bytes:
        message = json.loads(body)
        if "id" not in message:
            return _ACCEPTED
        key = json.dumps(message["id"]).encode()
        answer = b'{"jsonrpc":"2.0","id":%b,%b}' % (key, b"".join(self._server.answer(message)))
        begins = message["method"] == "initialize"
        session = b"mcp-session-id: %d\r\n" % next(self._sessions) if begins else b""
        return (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n%bcontent-length: %d\r\n\r\n%b"
            % (session, len(answer), answer)
        )


async def _head(reader: StreamReader) -> bytes | None:
    """Read the head of a request, or return None if the client has disconnected."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _length(head: bytes) -> int:
    name = b"content-length:"
    lines = head.lower().split(b"\r\n")
    return next((int(line[len(name) :]) for line in lines if line.startswith(name)), 0)


async def main() -> None:
    light = LightHttp(results_in(sys.argv[1]) if sys.argv[1:] else {})
    server = await asyncio.start_server(light.connected, "127.0.0.1", 0, backlog=_BACKLOG)
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}/mcp", file=sys.stderr, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
