"""A server behind a URL that is started again, and knows no session any longer.

It was written by others, and answers 400 then, where the specification has 404.
"""

import json

import pytest
from everything_over_http import everything_over_http, free_port
from node_runtime import node, package
from relay_sdk import SdkClient


def alone(url, _folder):
    return ["--url", url], "echo"


def one_of_two(url, folder):
    program = package("@modelcontextprotocol/server-memory/dist/index.js")
    servers = {"far": {"url": url}, "memory": {"command": node(), "args": [program]}}
    file = folder / "servers.json"
    file.write_text(json.dumps({"mcpServers": servers}))
    return ["--servers", str(file)], "echo"


@pytest.mark.parametrize("before", [alone, one_of_two])
def test_a_server_that_was_started_again_is_greeted_again(before, tmp_path):
    async def echo(mcp, _heard):
        result = await mcp.call_tool(tool, {"message": "there"})
        return result.content[0].text

    port = free_port()
    with everything_over_http(port) as url:
        options, tool = before(url, tmp_path)
        client = SdkClient([], *options)
        assert client.run(echo) == "Echo: there"
    with everything_over_http(port):
        told = client.run(echo)
    client.close()
    assert "Echo: there" in told
