"""python code_mode.py CALLS COMMAND ...: FastMCP's CodeMode in front of a server.

It is made as its documentation shows, with its own tools that search, get schemas and execute. One
program may make CALLS calls. Runs in the peers' environment.
"""

from __future__ import annotations

import os
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.experimental.transforms.code_mode import CodeMode
from fastmcp.server import create_proxy


def main() -> None:
    most, program, *arguments = sys.argv[1:]
    proxy = create_proxy(StdioTransport(program, arguments, env=dict(os.environ)))
    proxy.add_transform(CodeMode(max_tool_calls=int(most)))
    proxy.run(show_banner=False)


if __name__ == "__main__":
    main()
