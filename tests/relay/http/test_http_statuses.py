"""The HTTP statuses and headers of an upstream behind a URL, as a client of Penstock sees them."""

import asyncio
import json
import sys

import httpx2
import pytest
from http_rig import SERVERS, Raw, messages_of, request, serving, started

from penstock.relay.http.upstream import HttpAnswer

REFUSING = [sys.executable, str(SERVERS / "refusing_server.py")]
CHALLENGE = 'Bearer resource_metadata="https://example.com/.well-known/x"'
OAUTH = json.dumps({"error": "invalid_token", "error_description": "It has expired."})
CALL = {"name": "echo", "arguments": {}}


@pytest.fixture(scope="module")
def upstream():
    with started(REFUSING) as url:
        yield url


@pytest.fixture(scope="module")
def forwarding(upstream):
    with serving("--url", upstream, "--forward-authorization") as url:
        yield url


@pytest.fixture(scope="module")
def plain(upstream):
    with serving("--url", upstream) as url:
        yield url


@pytest.fixture
def refuse(upstream):
    control = upstream.removesuffix("mcp") + "refuse"

    def told(*methods, status, kind="text/plain", body="no", headers=()):
        for method in methods:
            how = {"when": method, "status": status, "kind": kind, "body": body}
            httpx2.post(control, json={**how, "headers": list(headers)})

    yield told
    httpx2.post(control, json={})


def error_of(response, key=1):
    """Return the error of a reply, which must be valid JSON-RPC and answer the request."""
    message = response.json()
    assert message["jsonrpc"] == "2.0"
    assert message["id"] == key
    assert isinstance(message["error"]["code"], int)
    assert isinstance(message["error"]["message"], str)
    return message["error"]


# -- who logs in -------------------------------------------------------------------------------

EVERYTHING = ("initialize", "server/discover", "tools/list", "tools/call")


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("kind", ["text/plain", "application/json", ""])
@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
def test_a_client_that_has_not_logged_in_gets_the_challenge(
    forwarding, refuse, status, kind, method
):
    """The relay's own `server/discover` is refused first."""
    name = "wWw-AuThEnTiCaTe"
    refuse(*EVERYTHING, status=status, kind=kind, body=OAUTH, headers=[(name, CHALLENGE)])
    with Raw(forwarding) as client:
        response = client.modern(method, CALL if method == "tools/call" else None)
    assert response.status_code == status
    assert response.headers["www-authenticate"] == CHALLENGE
    assert f"HTTP {status}" in error_of(response)["message"]


def test_a_challenge_that_is_not_ascii_is_passed_on_as_it_is(forwarding, refuse):
    told = 'Bearer error_description="anmelden → login"'.encode()
    headers = [("www-authenticate", told.decode("latin-1"))]  # The server sends these very bytes.
    refuse("initialize", status=401, headers=headers)
    with Raw(forwarding) as client:
        response = client.post(request("initialize", {}, 1))
    assert response.status_code == 401
    assert dict(response.headers.raw)[b"www-authenticate"] == told


def test_all_challenges_are_passed_on(forwarding, refuse):
    both = [("WWW-Authenticate", CHALLENGE), ("www-authenticate", 'Basic realm="x"')]
    refuse("initialize", status=401, headers=both)
    with Raw(forwarding) as client:
        response = client.post(request("initialize", {"protocolVersion": "2025-11-25"}, 1))
    assert response.status_code == 401
    assert response.headers.get_list("www-authenticate") == [value for _, value in both]


def test_an_authorization_that_upstream_no_longer_takes(forwarding, refuse):
    alice = {"authorization": "Bearer alice"}
    with Raw(forwarding) as client:
        assert client.modern("tools/call", CALL, **alice).status_code == 200
        headers = [("www-authenticate", CHALLENGE)]
        refuse(*EVERYTHING, status=401, kind="application/json", body=OAUTH, headers=headers)
        response = client.modern("tools/call", CALL, **alice)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == CHALLENGE
        assert "invalid_token" in error_of(response)["message"]


def test_a_list_of_the_relays_own_is_refused(forwarding, refuse):
    """A legacy call needs upstream's list, which the relay reads on behalf of the client."""
    alice = {"authorization": "Bearer someone"}
    with Raw(forwarding) as client:
        opened = client.post(request("initialize", {"protocolVersion": "2025-11-25"}, 0), **alice)
        client.session = opened.headers["mcp-session-id"]
        client.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, **alice)
        headers = [("www-authenticate", CHALLENGE)]
        refuse("tools/list", "tools/call", status=401, headers=headers)
        response = client.post(request("tools/call", CALL, 1), **alice)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == CHALLENGE


@pytest.mark.parametrize("status", [401, 403])
def test_penstocks_own_credentials_are_not_the_clients_business(plain, refuse, status):
    refuse(*EVERYTHING, status=status, body=OAUTH, headers=[("www-authenticate", CHALLENGE)])
    with Raw(plain) as client:
        response = client.modern("tools/list")
    assert response.status_code == 502
    assert "www-authenticate" not in response.headers
    assert "PENSTOCK_BEARER" in error_of(response)["message"]


# -- other statuses ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "seen"),
    [
        (400, 400), (404, 502), (405, 502), (408, 502), (413, 413), (415, 502), (422, 422),
        (429, 429), (500, 500), (502, 502), (503, 503), (504, 504),
    ],
)  # fmt: skip
def test_a_status_about_the_clients_message_is_passed_on(plain, refuse, status, seen):
    refuse("tools/call", status=status, headers=[("Retry-After", "7")])
    with Raw(plain) as client:
        response = client.modern("tools/call", CALL)
    assert response.status_code == seen
    assert response.headers.get("retry-after") == ("7" if status == seen else None)
    assert f"HTTP {status}" in error_of(response)["message"]


def test_a_refused_request_of_the_relays_own_says_when_to_try_again(plain, refuse):
    refuse("tools/list", status=429, headers=[("Retry-After", "7")])
    with Raw(plain) as client:
        response = client.modern("tools/list")
    assert (response.status_code, response.headers["retry-after"]) == (429, "7")


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("body", [OAUTH, '{"detail": "x"}', '{"error": {"message": "x"}}'])
def test_json_that_is_no_message_becomes_an_error(plain, refuse, status, body):
    refuse("tools/call", status=status, kind="application/json", body=body)
    with Raw(plain) as client:
        response = client.modern("tools/call", CALL)
    assert response.status_code == status
    assert body[2:8] in error_of(response)["message"]


def test_an_error_that_is_a_message_stays_as_it_is(plain, refuse):
    told = {"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "Unknown."}}
    refuse("tools/call", status=404, kind="application/json", body=json.dumps(told))
    with Raw(plain) as client:
        response = client.modern("tools/call", CALL)
    assert response.status_code == 404
    assert error_of(response) == told["error"]


def test_a_lost_session_is_a_404(plain, refuse):
    with Raw(plain) as client:
        client.initialize()
        refuse("tools/call", "GET", status=404)
        response = client.post(request("tools/call", CALL, 1))
        assert response.status_code == 404
        error_of(response)
        headers = {"accept": "text/event-stream", "mcp-session-id": client.session}
        assert client.http.get(plain, headers=headers).status_code == 404


def test_a_refused_notification_says_why(plain, refuse):
    with Raw(plain) as client:
        client.initialize()
        refuse("notifications/x", status=503, headers=[("Retry-After", "9")])
        response = client.post({"jsonrpc": "2.0", "method": "notifications/x"})
    assert (response.status_code, response.headers["retry-after"]) == (503, "9")
    assert "HTTP 503" in error_of(response, None)["message"]


def test_a_refused_batch_gets_the_status(plain, refuse):
    with Raw(plain) as client:
        client.initialize("2025-03-26")
        refuse("batch", status=429, headers=[("Retry-After", "3")])
        response = client.post([request("ping", {}, 1), request("ping", {}, 2)])
    assert (response.status_code, response.headers["retry-after"]) == (429, "3")
    assert {message["id"] for message in response.json()} == {1, 2}


@pytest.mark.parametrize(("method", "status"), [("GET", 405), ("GET", 429), ("DELETE", 405)])
def test_streams_and_ends_of_sessions_that_upstream_refuses(plain, refuse, method, status):
    refuse(method, status=status, headers=[("Retry-After", "5")])
    with Raw(plain) as client:
        client.initialize()
        headers = {"accept": "text/event-stream", "mcp-session-id": client.session}
        response = client.http.request(method, plain, headers=headers)
    assert (response.status_code, response.headers["retry-after"]) == (status, "5")


def test_an_answer_after_a_refusal_is_no_refusal(plain, refuse):
    """The relay's own request fails, and the call succeeds."""
    refuse("tools/list", status=503)
    with Raw(plain) as client:
        client.initialize()
        response = client.post(request("tools/call", CALL, 1))
        assert response.status_code == 200
        assert messages_of(response)[-1]["result"]["content"]


def test_a_legacy_server_is_no_refusal(upstream, refuse):
    """A legacy server refuses the relay's `server/discover`. The client learns its versions."""
    told = {"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "Unknown."}}
    refuse("server/discover", status=404, kind="application/json", body=json.dumps(told))
    with serving("--url", upstream) as url, Raw(url) as client:
        response = client.modern("tools/list")
    assert (response.status_code, error_of(response)["code"]) == (400, -32022)


class Answered:
    """An HTTP response of one part."""

    def __init__(self, status, message):
        self.status, self._parts = status, [json.dumps(message).encode()]

    def header(self, name):
        return "application/json" if name == "content-type" else ""

    async def part(self):
        return self._parts.pop() if self._parts else b""


@pytest.mark.parametrize(
    ("status", "told", "is_lost"),
    [
        (404, "anything", True),
        (400, "Bad Request: No valid session ID provided", True),
        (400, "Booked, but the mail about your training session could not be sent.", False),
        (500, "No valid session ID provided", False),
    ],
)
def test_only_a_request_that_did_not_run_is_sent_again(status, told, is_lost):
    message = {"jsonrpc": "2.0", "id": 3, "error": {"code": -32000, "message": told}}
    answer = HttpAnswer(Answered(status, message), 10_000)
    assert asyncio.run(answer.has_lost_session()) is is_lost
