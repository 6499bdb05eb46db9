"""python -m benchmarks.servers.sdk_http [FOLDER]: the official SDK over streamable HTTP.

Its tools are those of `light.py`. It has one worker, with the HTTP parser and the event loop that
come with the SDK. It answers with event streams, as the SDK does unless it is told otherwise. It
prints its URL on stderr.
"""

from __future__ import annotations

import json
import socket
import sys

import uvicorn
from mcp.server import MCPServer

from benchmarks.servers.light import results_in

_BACKLOG = 1_024
_IDLE_SECONDS = 120  # The first sessions wait until the last one is open.


def application(results: dict[str, bytes]) -> MCPServer:
    server = MCPServer("sdk", log_level="ERROR")

    @server.tool(structured_output=False)
    def echo(text: str) -> str:
        return text

    for name, result in results.items():
        text = json.loads(result)["content"][0]["text"]
        server.add_tool(lambda text=text: text, name=name, structured_output=False)
    return server


def main() -> None:
    server = application(results_in(sys.argv[1]) if sys.argv[1:] else {})
    # Without IPPROTO_TCP, the event loop does not set TCP_NODELAY on the connections, as it does for a
    # server that is started with a host and a port. Then some answers wait 40 ms for an acknowledgement.
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.bind(("127.0.0.1", 0))
    opened.listen(_BACKLOG)
    host, port = opened.getsockname()
    print(f"http://{host}:{port}/mcp", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        server.streamable_http_app(),
        # Named, because uvicorn would take faster ones if another package brought them.
        http="h11",
        loop="asyncio",
        timeout_keep_alive=_IDLE_SECONDS,
        access_log=False,
        log_config=None,
    )
    uvicorn.Server(config).run(sockets=[opened])


if __name__ == "__main__":
    main()
