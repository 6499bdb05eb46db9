"""A client that disconnects in the middle of a page: it loses nothing, and nobody else notices."""

import http.client
import json
import os
import socket
import struct
from contextlib import closing
from urllib.parse import urlsplit

from carrier_clients import GREETING, MODERN_META, MODERN_VERSION
from fault_list import CLIENT_LEAVES, HOST_LEAVES
from fault_rig import RUN_COMMAND, SERVE_COMMAND, assert_kept, hold, read
from faulty_server import rows as rows_of_server
from relay_processes import wait_until_gone

LARGE = 50_000  # rows in one page of 4.6 MB, more than fits between the two processes
PAGES = {"budget": "20MB", "inline": "10kB", "max_page_size": str(LARGE)}
LEFT = "nothing: it has left"


def test_a_client_of_serve_disconnects(rig, saw):
    made = rig(SERVE_COMMAND, **PAGES)
    client = made.client()
    token = hold(client, LARGE)
    start_of_page(made.address, token)
    saw(CLIENT_LEAVES, LEFT)
    assert_page(client, token)
    assert_kept(other := made.client(), hold(other))
    assert made.count("rows") == 2
    assert "Traceback" not in made.log.read_text("utf-8")


def start_of_page(address, token):
    """Read the start of a large page, and break the connection off."""
    place = urlsplit(address)
    with closing(http.client.HTTPConnection(place.hostname, place.port)) as connection:
        connection.sock = socket.socket()
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.sock.connect((place.hostname, place.port))
        # Without time to linger, closing sends a reset at once.
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request = reading(token)
        request["params"]["_meta"] = MODERN_META
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": MODERN_VERSION,
            "mcp-method": "tools/call",
            "mcp-name": "read_result",
        }
        connection.request("POST", place.path, json.dumps(request), headers)
        assert connection.getresponse().read(1_000)


def test_the_host_of_run_disconnects(rig, saw):
    """Penstock ends although it cannot write the rest of the page."""
    made = rig(RUN_COMMAND, **PAGES)
    asked(made.process, {"id": 1, "method": "initialize", "params": GREETING})
    send(made.process, {"method": "notifications/initialized"})
    arguments = {"name": "rows", "arguments": {"count": LARGE}}
    held = asked(made.process, {"id": 2, "method": "tools/call", "params": arguments})
    token = json.loads(held["result"]["content"][0]["text"])["continuation_token"]
    below = [one.pid for one in made.below()]
    send(made.process, reading(token))
    assert os.read(made.process.stdout.fileno(), 1_000)
    made.process.stdout.close()
    made.process.stdin.close()
    saw(HOST_LEAVES, LEFT)
    assert made.wait() == 0
    wait_until_gone(*below)
    made.start()
    assert_page(made.client(), token)
    assert made.count("rows") == 1


def reading(token):
    arguments = {"continuation_token": token, "page_size": LARGE}
    params = {"name": "read_result", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": params}


def send(process, message):
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()


def asked(process, request):
    send(process, request)
    return json.loads(process.stdout.readline())


def assert_page(client, token):
    page = json.loads(client.text(read(client, token, page_size=LARGE)))
    assert page["items"] == json.loads(rows_of_server(LARGE))
