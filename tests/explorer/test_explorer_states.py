"""Failures: the result has expired, a process has died, or the host did not pass the reply on."""

from __future__ import annotations

import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from plant_data import reading
from playwright.sync_api import expect
from relays import relay

from explorer import Explorer

ROWS = 4_000
UNREACHABLE = "net::ERR_CONNECTION_REFUSED"


@pytest.fixture
def store(tmp_path):
    """Return a store that outlives the relay, and that other processes can empty."""
    return f"sqlite:///{tmp_path}/results.sqlite"


@pytest.fixture
def served(site, store):
    with relay(site[0], PENSTOCK_STORE=store) as running:
        yield running


@pytest.fixture
def explore_here(host, served):
    """Return the same as `explore`, on a relay that the test may break."""

    def opened():
        host.connect(served.url)
        explorer = Explorer(host)
        explorer.show(served.token("list_readings", count=ROWS))
        return explorer

    return opened


def test_a_result_that_has_ended_is_said_to_have(explore_here, store):
    explorer = explore_here()
    explorer.has_row(0, reading(0))
    subprocess.run([sys.executable, "-m", "penstock", "purge", "--store", store], check=True)
    explorer.scroll_to_end()
    expect(explorer.alert("This result has expired.")).to_be_visible()
    explorer.scroll_to(0)
    explorer.has_row(0, reading(0))
    explorer.view.get_by_role("button", name="Ask to run it again").click()
    expect(explorer.said).to_contain_text("Asked")
    (message,) = explorer.host.record("messages")
    assert "list_readings" in message["content"][0]["text"]


def test_a_result_that_has_ended_cannot_be_opened(host, served, store):
    host.connect(served.url)
    token = served.token("list_readings", count=ROWS)
    subprocess.run([sys.executable, "-m", "penstock", "purge", "--store", store], check=True)
    result = host.show(token)
    assert result["isError"]
    expect(host.view.get_by_role("alert")).to_be_visible()
    expect(host.view.get_by_role("alert")).to_contain_text("expired")


def test_a_dead_server_matters_to_nobody_and_a_dead_relay_until_it_is_back(
    explore_here, served, site, store
):
    explorer = explore_here()
    explorer.host.tolerate(UNREACHABLE)
    served.kill_upstream()
    explorer.scroll_to(ROWS // 2)
    explorer.has_row(ROWS // 2, reading(ROWS // 2))
    served.kill()
    explorer.scroll_to_end()
    expect(explorer.alert("Connection lost.")).to_be_visible()
    explorer.view.get_by_role("button", name="Retry").click()
    expect(explorer.alert("Connection lost.")).to_be_visible()
    explorer.scroll_to(0)
    explorer.has_row(0, reading(0))
    port = urlsplit(served.url).port
    with relay(site[0], port=port, PENSTOCK_STORE=store):
        explorer.view.get_by_role("button", name="Retry").click()
        expect(explorer.alert("Connection lost.")).to_be_hidden()
        explorer.scroll_to_end()
        explorer.has_row(ROWS - 1, reading(ROWS - 1))


POINTER = (
    "Error: result (151,234 characters) exceeds maximum allowed tokens. Output has been saved to "
    "/mnt/results/show_result.txt."
)


@pytest.mark.parametrize(
    "replacement",
    [
        {"content": [{"type": "text", "text": POINTER}]},
        {"content": [{"type": "text", "text": '{"result": {"continuation_token": "pen_'}]},
    ],
    ids=["file pointer", "cut JSON"],
)
def test_what_the_host_kept_back_is_asked_for_again(explore, replacement):
    explorer = explore("list_readings", {"replacement": replacement}, count=ROWS)
    explorer.has_row(0, reading(0))
    explorer.scroll_to_end()
    explorer.has_row(ROWS - 1, reading(ROWS - 1))
