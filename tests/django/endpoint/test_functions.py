"""Functions that are tools."""

import pytest


def test_a_function_gets_arguments_and_request(agent):
    assert agent.value("echo", text="hello") == {"text": "hello", "user": "ada"}


def test_text_is_sent_as_text(agent):
    assert agent.call("greet")["content"] == [{"type": "text", "text": "hello"}]


def test_a_heavy_function_answers_with_a_probe(agent):
    probe = agent.value("stock.search", warehouse="WH-01")
    assert probe["count"] == 300
    assert {"preview", "total_size", "available_modes", "continuation_token"} <= probe.keys()
    page = agent.value(
        "stock.search",
        continuation_token=probe["continuation_token"],
        mode="paginated",
        page_size=25,
    )
    assert [row["id"] for row in page["items"]] == list(range(25))
    assert page["items"][1] == {
        "id": 1,
        "at": "2026-11-15T12:00:00Z",
        "price": "1.10",
        "key": "00000000-0000-0000-0000-000000000001",
        "x": "y" * 40,
    }
    assert len(agent.walk("stock.search", page)) == 300


def test_a_heavy_function_that_gives_little(agent):
    assert agent.value("stock.search", warehouse="WH-01", rows=0) == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "text"),
        ({"text": 7}, "text"),
        ({"text": "a", "texts": "b"}, "texts"),
    ],
    ids=str,
)
def test_arguments_are_held_to_the_schema(agent, arguments, named):
    told = agent.error("echo", **arguments)
    assert named in told["error"]
    assert "echo" in told["next_step"]


def test_a_function_that_fails(agent, caplog):
    told = agent.error("fail")
    assert told["status_code"] == 500
    assert "secret" not in str(told)
    assert "a secret of the site" in caplog.text
    caplog.clear()
