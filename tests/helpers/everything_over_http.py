"""The reference server of others, over streamable HTTP. It keeps sessions, in its memory."""

import socket
import subprocess
from contextlib import contextmanager

from environments import clean_environment
from node_runtime import node, package
from relay_processes import PATIENCE


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@contextmanager
def everything_over_http(port=None):
    """Yield the URL of a server that ends after the block."""
    port = port or free_port()
    command = [node(), package("@modelcontextprotocol/server-everything/dist/index.js")]
    process = subprocess.Popen(
        [*command, "streamableHttp"],
        env=clean_environment(PORT=str(port)),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for line in process.stderr:
            if "listening" in line:
                yield f"http://127.0.0.1:{port}/mcp"
                break
        else:
            raise AssertionError("the server does not listen")
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)
