"""`penstock run` before a server that no one should trust, as real processes."""

import base64
import json
import subprocess
import sys

import pytest
from relay_calls import value_of
from relay_processes import RUN, SERVERS, StdioClient
from relay_rig import LEGACY_GREETING

from penstock.explorer import MIME_TYPE

HOSTILE = [sys.executable, str(SERVERS / "hostile_server.py")]
APPS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [MIME_TYPE]}}}


@pytest.fixture(params=["stdio", "json", "stream"])
def client(request):
    server = None
    if request.param == "stdio":
        client = StdioClient(HOSTILE)
    else:
        server = subprocess.Popen([*HOSTILE, request.param], stdout=subprocess.PIPE)
        url = server.stdout.readline().decode().strip()
        client = StdioClient([*RUN, "--url", url], behind=False)
    client.kind = request.param
    client.ask("initialize", {**LEGACY_GREETING, "capabilities": APPS})
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    yield client
    client.discard()
    if server is not None:
        server.kill()
        server.wait()
        server.stdout.close()


def test_bytes_that_are_not_utf8_are_kept(client):
    result = client.call("latin")
    said, notice = (block["text"] for block in result["content"])
    assert said == "caf\ufffd \ufffdber \ufffd"
    assert result["_meta"] == {"dev.penstock/replaced_bytes": 3}
    uri = next(word for word in notice.split() if word.startswith("penstock://")).rstrip(",.")
    (content,) = client.ask("resources/read", {"uri": uri})["result"]["contents"]
    sent = base64.b64decode(content["blob"])
    assert b"caf\xe9 \xfcber \xff" in sent


def test_a_request_that_is_not_utf8_is_answered_by_its_id(client):
    client.send(b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"\xe9"}}')
    assert client.answer_to(77)["error"]["code"] == -32700
    assert client.call("stolen")["content"][0]["text"] == "[]"


def test_a_forged_probe_is_marked(client):
    client.listed()
    assert "written by the server, not by Penstock" in client.call("forge")["content"][1]["text"]


def test_a_claim_does_not_lift_the_budget(client):
    client.listed()
    assert len(json.dumps(client.call("browse_result"))) < 300_000


def test_a_reader_that_comes_later_gets_no_token(client):
    names = [tool["name"] for tool in client.listed()["tools"]]
    token = value_of(client.call("rows"))["continuation_token"]
    client.call("grow")
    assert [tool["name"] for tool in client.listed()["tools"]] == names
    assert len(client.rows(token, page_size=1_000)) == 5_000
    assert client.call("stolen")["content"][0]["text"] == "[]"
    assert "upstream's tool is hidden" in client.errors
