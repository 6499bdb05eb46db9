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


# Words that are for models.
JARGON = ("token", "negotiation", "Re-invoke", "continuation")
AGAIN = "Ask to run it again"
FIRST_WORDS = "This result has expired."


def purge(store):
    subprocess.run([sys.executable, "-m", "penstock", "purge", "--store", store], check=True)


def is_said_once_for_people(view):
    """Check that a sentence and one button say it, and nothing that is no longer true or of use."""
    expect(view.get_by_role("alert")).to_have_count(1)
    text = view.locator("body").inner_text()
    assert text.count("expired") == 1, text
    assert not [word for word in JARGON if word.lower() in text.lower()]
    assert "kept" not in text
    for name in ("Retry", "Try again"):
        expect(view.get_by_role("button", name=name)).to_have_count(0)


def ask_again(host):
    """Press the button, which is then gone, and return what the assistant was asked for."""
    host.view.get_by_role("button", name=AGAIN).click()
    expect(host.view.get_by_text("The assistant was asked to run the tool again.")).to_be_visible()
    expect(host.view.get_by_role("button", name=AGAIN)).to_have_count(0)
    (message,) = host.record("messages")
    return message["content"][0]["text"]


def test_a_result_that_has_ended_is_said_to_have(explore_here, store):
    explorer = explore_here()
    explorer.has_row(0, reading(0))
    expect(explorer.view.get_by_text("kept")).to_be_visible()
    purge(store)
    explorer.scroll_to_end()
    expect(explorer.alert(FIRST_WORDS)).to_be_visible()
    explorer.scroll_to(0)
    explorer.has_row(0, reading(0))
    is_said_once_for_people(explorer.view)
    for name in ("Filter", "Chart", "Columns"):
        expect(explorer.tool(name)).to_have_count(0)
    explorer.tool("Download").click()
    dialog = explorer.dialog("Download")
    expect(dialog.get_by_label("All 4,000 rows")).to_be_disabled()
    expect(dialog.get_by_role("button", name="Download")).to_be_disabled()
    dialog.get_by_role("button", name="Cancel").click()
    assert "run list_readings again" in ask_again(explorer.host)


def test_columns_of_a_result_that_has_ended_stay_as_they_are(explore_here, store):
    """Rows that came without a column cannot come again."""
    explorer = explore_here()
    explorer.tool("Columns").click()
    dialog = explorer.dialog("Columns")
    dialog.get_by_role("checkbox", name="site").uncheck()
    purge(store)
    dialog.get_by_role("button", name="Done").click()
    explorer.tool("Columns").click()
    explorer.scroll_to_end()
    expect(explorer.alert(FIRST_WORDS)).to_be_visible()
    expect(dialog).to_be_hidden()
    explorer.scroll_to(0)
    shown = {name: cell for name, cell in reading(0).items() if name != "site"}
    explorer.has_row(0, shown)


def test_a_chart_of_a_result_that_has_ended_leads_back_to_the_rows(explore_here, store):
    explorer = explore_here()
    explorer.tool("Chart").click()
    expect(explorer.view.get_by_role("img", name="Timeline of at")).to_be_visible()
    purge(store)
    explorer.view.get_by_label("Across").select_option(label="pressure")
    expect(explorer.alert(FIRST_WORDS)).to_be_visible()
    explorer.has_row(0, reading(0))
    is_said_once_for_people(explorer.view)


def test_a_result_that_has_ended_cannot_be_opened(host, served, store):
    host.connect(served.url)
    token = served.token("list_readings", count=ROWS)
    purge(store)
    result = host.show(token)
    assert result["isError"]
    expect(host.view.get_by_role("alert")).to_contain_text(FIRST_WORDS)
    is_said_once_for_people(host.view)
    assert "run the tool again" in ask_again(host)


@pytest.mark.parametrize(
    "replacement",
    [
        {"isError": True, "content": [{"type": "text", "text": "{text}"}]},
        {"content": [{"type": "text", "text": "The output was saved to a file."}]},
    ],
    ids=["text alone", "note of the host"],
)
def test_a_result_that_has_ended_is_known_by_what_a_host_passes_on(
    host, served, store, replacement
):
    host.connect(served.url)
    token = served.token("list_readings", count=ROWS)
    purge(store)
    text = host.call("show_result", continuation_token=token)["content"][0]["text"]
    content = [
        {"type": "text", "text": block["text"].format(text=text)}
        for block in replacement["content"]
    ]
    host.show(token, replacement={**replacement, "content": content})
    expect(host.view.get_by_role("alert")).to_contain_text(FIRST_WORDS)
    is_said_once_for_people(host.view)


def test_a_host_that_takes_no_messages_leaves_the_asking_to_the_user(host, served, store):
    host.connect(served.url)
    token = served.token("list_readings", count=ROWS)
    purge(store)
    host.show(token, without=["message"])
    expect(host.view.get_by_role("alert")).to_contain_text(
        "Ask the assistant to run the tool again."
    )
    expect(host.view.get_by_role("button", name=AGAIN)).to_have_count(0)


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
