"""The HTTP client: what it sends, and what its errors tell."""

import asyncio
import base64
import re
import shutil
import ssl
import subprocess
from contextlib import asynccontextmanager, suppress

import pytest

from penstock.errors import InvalidSetting
from penstock.relay.http.client import BrokenOff, HttpClient, NoAnswer
from penstock.relay.target import Target

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


@asynccontextmanager
async def server(answer, *, hold_open=False):
    """Answer each connection once with these bytes. Yield the address, and the heads it was sent."""
    heads, ended = [], asyncio.Event()

    async def connected(reader, writer):
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        writer.write(answer)
        await writer.drain()
        if hold_open:
            await reader.read()  # until the client hangs up
        writer.close()
        ended.set()

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as listening:
        host, port = listening.sockets[0].getsockname()
        yield f"{host}:{port}", heads
        if hold_open:
            await ended.wait()


async def get(url, seconds=None, **options):
    client = HttpClient(Target(url=url, **options))
    try:
        response = await client.request("GET", {}, seconds=seconds)
        try:
            return b"".join([part async for part in all_parts(response)])
        finally:
            response.close()
    finally:
        await client.close()


async def all_parts(response):
    while part := await response.part():
        yield part


def head_of(url_of, **options):
    """Return the head that the client sends to a URL, which is made from the address."""

    async def scenario():
        async with server(OK) as (address, heads):
            assert await get(url_of(address), **options) == b"{}"
            return heads[0].lower()

    return asyncio.run(scenario())


# -- connections that stay open ----------------------------------------------------------------


@asynccontextmanager
async def client_of(connected, host="127.0.0.1", tls=None):
    """Yield a client of a server that handles each connection in this way."""
    serving = set()

    async def serve(reader, writer):
        serving.add(asyncio.current_task())
        await connected(reader, writer)
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls) as listening:
        port = listening.sockets[0].getsockname()[1]
        client = HttpClient(Target(url=f"{'https' if tls else 'http'}://{host}:{port}/mcp"))
        try:
            yield client
        finally:
            await client.close()
            await asyncio.gather(*serving)


async def answer_to(client, method="GET", content=None):
    response = await client.request(method, {}, content)
    try:
        return b"".join([part async for part in all_parts(response)])
    finally:
        response.close()


def answer(body, more=""):
    head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def test_a_request_that_a_server_may_have_run_is_not_sent_again():
    """The server closes the connection, which was used before, in place of an answer."""
    received = []

    async def connected(reader, writer):
        with suppress(asyncio.IncompleteReadError):
            while True:
                received.append(await reader.readuntil(b"end of body"))
                if len(received) == 2:
                    return
                writer.write(answer(b"done"))

    async def scenario():
        async with client_of(connected) as client:
            assert await answer_to(client, "POST", b"end of body") == b"done"
            with pytest.raises(NoAnswer) as caught:
                await answer_to(client, "POST", b"end of body")
            return caught.value

    assert asyncio.run(scenario()).was_sent
    assert len(received) == 2


def test_no_idle_connection_is_used_after_one_that_failed():
    """The server may have ended: the system closes its connections one after the other."""
    both_asked, is_dead = asyncio.Barrier(2), asyncio.Event()
    lost = []

    async def connected(reader, writer):
        is_new = is_dead.is_set()
        with suppress(asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            if not is_new:
                await both_asked.wait()
            writer.write(answer(b"{}"))
            await reader.readuntil(b"\r\n\r\n")
            is_dead.set()
            lost.append(writer)

    async def scenario():
        async with client_of(connected) as client:
            await asyncio.gather(answer_to(client), answer_to(client))
            with pytest.raises(NoAnswer):
                await answer_to(client, "POST", b"lost")
            assert await answer_to(client, "POST", b"next") == b"{}"

    asyncio.run(scenario())
    assert len(lost) == 1


def test_bytes_that_no_request_asked_for_answer_none():
    """Otherwise each later answer on the connection would go to the request after its own."""
    is_idle, heads = asyncio.Event(), []

    async def connected(reader, writer):
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer(b"answer %d" % len(heads)))
        await is_idle.wait()
        writer.write(answer(b"nobody's"))
        await reader.read()

    async def scenario():
        async with client_of(connected) as client:
            first = await answer_to(client)
            is_idle.set()
            await asyncio.sleep(0.1)  # until the client has received them
            return first, await answer_to(client)

    assert asyncio.run(scenario()) == (b"answer 1", b"answer 2")


def test_a_cookie_is_not_kept():
    heads = []

    async def connected(reader, writer):
        with suppress(asyncio.IncompleteReadError):
            while True:
                heads.append((await reader.readuntil(b"\r\n\r\n")).lower())
                writer.write(answer(b"{}", "set-cookie: user=first\r\n"))

    async def scenario():
        async with client_of(connected, "localhost") as client:  # An address could have no cookies.
            for _ in range(2):
                assert await answer_to(client) == b"{}"

    asyncio.run(scenario())
    assert len(heads) == 2
    assert all(b"cookie" not in head for head in heads)


# -- servers that cannot be reached ------------------------------------------------------------


def unreached(url):
    async def scenario():
        with pytest.raises(NoAnswer) as caught:
            await get(url)
        return str(caught.value)

    return asyncio.run(scenario())


HINT = "Is the server running, and the address right?"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9/mcp", "Connection refused"),
        ("http://localhost:9/mcp", "Connection refused"),
        ("https://127.0.0.1:9/mcp", "Connection refused"),
        ("http://nobody.invalid/mcp", "(.*name.*|.*resolution.*)"),
    ],
)
def test_the_address_is_named_once(url, why):
    told = unreached(url)
    assert re.fullmatch(
        f"Cannot connect to {re.escape(url)}: {why}\\. {re.escape(HINT)}", told, re.IGNORECASE
    )
    assert "ssl:" not in told
    assert told.count(url.split("/")[2].split(":")[0]) == 1


def test_a_proxy_that_cannot_be_reached_is_named(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://me:SECRET@127.0.0.1:9")
    told = unreached("http://nobody.invalid/mcp")
    assert f"/mcp: its proxy 127.0.0.1:9: Connection refused. {HINT}" in told


def test_a_server_that_speaks_no_tls():
    async def connected(_reader, writer):
        writer.write(OK)
        writer.close()

    async def scenario():
        async with await asyncio.start_server(connected, "127.0.0.1", 0) as listening:
            port = listening.sockets[0].getsockname()[1]
            with pytest.raises(NoAnswer) as caught:
                await get(f"https://127.0.0.1:{port}/mcp")
            return str(caught.value)

    told = asyncio.run(scenario())
    assert "/mcp: TLS: " in told
    assert "ssl:" not in told


# -- certificates ------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_a_server_whose_certificate_nobody_vouches_for_is_sent_nothing(tmp_path):
    heads = []

    async def connected(reader, writer):
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer(b"{}"))

    async def scenario():
        async with client_of(connected, "localhost", tls=certified(tmp_path)) as client:
            with pytest.raises(NoAnswer) as caught:
                await answer_to(client)
            return caught.value

    error = asyncio.run(scenario())
    assert "/mcp: its certificate is not trusted (self-signed certificate). Is the" in str(error)
    assert not error.was_sent
    assert heads == []


def certified(folder):
    """Return what a server needs for TLS, with a certificate that it has signed itself."""
    made, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    files = ["-keyout", str(key), "-out", str(made)]
    subprocess.run([*command, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return context


# -- addresses ---------------------------------------------------------------------------------


def basic(pair):
    return f"authorization: basic {base64.b64encode(pair.encode()).decode()}".lower()


def test_a_user_and_a_password_in_the_url_become_a_header():
    assert basic("me:é") in head_of(lambda address: f"http://me:%C3%A9@{address}/mcp")


def test_another_authorization_replaces_that_of_the_url():
    given = (("Authorization", "Bearer x"),)
    head = head_of(lambda address: f"http://me:pw@{address}/mcp", headers=given)
    assert head.count("authorization") == 1
    assert "authorization: bearer x" in head


@pytest.mark.parametrize("path", ["/mcp?sig=%27a%41%2Fb", "/a%20b/mcp"])
def test_an_encoded_url_stays_as_it_is(path):
    assert f"get {path.lower()} http" in head_of(lambda address: f"http://{address}{path}")


@pytest.mark.parametrize(
    "answer",
    [
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"",
    ],
)
def test_errors_hold_no_secret_of_the_url(answer):
    async def scenario():
        async with server(answer) as (address, _):
            with pytest.raises((NoAnswer, BrokenOff)) as caught:
                await get(f"http://me:SECRET@{address}/s/9f86d081884c7d65/mcp?key=SECRET")
            return str(caught.value)

    told = asyncio.run(scenario())
    assert "SECRET" not in told
    assert "9f86d081884c7d65" not in told


@pytest.mark.parametrize(
    ("hold_open", "told"), [(False, "broke off in the middle"), (True, "was silent for too long")]
)
def test_half_an_answer(hold_open, told):
    async def scenario():
        half = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"
        async with server(half, hold_open=hold_open) as (address, _):
            with pytest.raises(BrokenOff, match=told):
                await get(f"http://{address}/mcp", seconds=0.2)

    asyncio.run(scenario())


def test_what_came_before_an_answer_broke_off_is_read():
    """Such bytes may be the whole answer of a tool. Only the end of the stream is missing."""

    async def connected(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\ndata: {}\n\n")

    async def scenario():
        async with client_of(connected) as client:
            response = await client.request("GET", {})
            await asyncio.sleep(0.1)  # until the connection has broken off
            assert await response.part() == b"data: {}\n\n"
            for _ in range(2):
                with pytest.raises(BrokenOff):
                    await response.part()
            response.close()

    asyncio.run(scenario())


def test_a_refusal_of_a_proxy_holds_no_secret(monkeypatch):
    async def scenario():
        refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
        async with server(refusal) as (address, _):
            monkeypatch.setenv("https_proxy", f"http://me:SECRET@{address}")
            with pytest.raises(NoAnswer) as caught:
                await get("https://example.invalid/mcp")
            return caught.value

    error = asyncio.run(scenario())
    assert "SECRET" not in str(error)
    assert "407" in str(error)
    assert not error.was_sent


def test_a_proxy_of_another_kind_is_refused(monkeypatch):
    monkeypatch.setenv("all_proxy", "socks5://me:SECRET@127.0.0.1:1")
    with pytest.raises(InvalidSetting) as caught:
        HttpClient(Target(url="http://example.invalid/mcp"))
    assert "SECRET" not in str(caught.value)


def test_no_proxy_excludes_a_host(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert "get /mcp http" in head_of(lambda address: f"http://{address}/mcp")
