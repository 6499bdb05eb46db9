"""The name of the peer that a request came from."""

import asyncio

import pytest
from http_rig import PLAIN
from starlette.requests import Request

from penstock.gate.gate import Gate
from penstock.relay.http.admission import PATH, PEER, Admission
from penstock.relay.http.allowed_hosts import AllowedHosts
from penstock.relay.http.bodies import Incoming
from penstock.relay.http.command_gateway import CommandGateway
from penstock.relay.http.far_end import FarEnd
from penstock.relay.http.limits import ServeLimits
from penstock.relay.http.peers import peer_of
from penstock.relay.http.places import FREE_BYTES, PeerPlaces
from penstock.relay.target import Target
from penstock.relay.upstream import CommandBackend
from penstock.settings.policy import Policy
from penstock.stores.memory import MemoryStore

OWN = ("127.0.0.1", 4321)


@pytest.mark.parametrize(
    ("client", "peer"),
    [
        (OWN, "127.0.0.1"),
        (("::1", 1, 0, 0), "::1"),
        (("::ffff:10.0.0.7", 1, 0, 0), "10.0.0.7"),
        (("2001:db8:1:2:3:4:5:6", 1, 0, 0), "2001:db8:1:2::/64"),
        (("fe80::1%eth0", 1, 0, 0), "fe80::/64"),
        (None, ""),
    ],
)
def test_the_address_of_the_connection(client, peer):
    assert peer_of(client, (), trusts_proxy=False) == peer


@pytest.mark.parametrize(
    ("told", "peer"),
    [
        ([b"10.0.0.1"], "10.0.0.1"),
        ([b"10.9.9.9, 10.0.0.1"], "10.0.0.1"),
        ([b"10.9.9.9", b"10.0.0.1"], "10.0.0.1"),
        ([b"10.0.0.1:5000"], "10.0.0.1"),
        ([b"[2001:db8::1]:5000"], "2001:db8::/64"),
        ([b"2001:db8::1"], "2001:db8::/64"),
        ([b"unknown"], "127.0.0.1"),
        ([b"\xff"], "127.0.0.1"),
        ([], "127.0.0.1"),
    ],
)
def test_the_address_that_the_proxy_tells(told, peer):
    headers = [(b"x-forwarded-for", value) for value in told]
    assert peer_of(OWN, headers, trusts_proxy=True) == peer
    assert peer_of(OWN, headers, trusts_proxy=False) == "127.0.0.1"


def test_places_have_an_end_for_all_and_for_each():
    places = PeerPlaces(3, 2)
    assert places.take("a", 2)
    assert not places.take("a")
    assert places.take("b")
    assert not places.take("c")
    places.leave("a", 2)
    assert places.take("c", 2)


def test_a_share_is_given_back_and_its_beginning_is_free():
    places = PeerPlaces(10, 10)
    with places.share("a") as share:
        assert share.grow(FREE_BYTES)
        assert share.grow(10)
        assert not share.grow(1)
        with places.share("b") as small:
            assert small.grow(FREE_BYTES)
    assert places.take("b", 10)


@pytest.mark.parametrize(
    ("trusts_proxy", "is_colleague", "peer"),
    [
        (False, False, "127.0.0.1"),
        (True, False, "10.0.0.1"),
        (False, True, "10.0.0.2"),
        (True, True, "10.0.0.2"),
    ],
)
def test_a_request_knows_its_peer(trusts_proxy, is_colleague, peer):
    """A client may claim what it likes. A proxy is believed if it is trusted, another worker always."""
    told = {"host": "localhost", "content-type": "application/json"}
    told |= {"x-forwarded-for": "10.0.0.1", PEER: "10.0.0.2"}
    headers = [(name.encode(), value.encode()) for name, value in told.items()]
    far_end = FarEnd()
    far_end.is_colleague = is_colleague
    scope = {"type": "http", "method": "POST", "path": PATH, "client": OWN, "headers": headers}
    request = Request({**scope, "state": far_end.in_state()})
    with Gate(Policy(), MemoryStore()) as gate:
        gateway = CommandGateway(gate, CommandBackend(Target(tuple(PLAIN))))
        admission = Admission(
            gateway, AllowedHosts("127.0.0.1"), ServeLimits(), trusts_proxy=trusts_proxy
        )
        admitted = asyncio.run(admission.admit(request, Incoming(request.receive, request)))
        assert admitted.peer == peer
