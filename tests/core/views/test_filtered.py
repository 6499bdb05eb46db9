"""`filtered`: some keys of the original, and the names of keys that are missing."""

from __future__ import annotations

import msgspec
import pytest

from penstock import Result

ROWS = [
    {
        "id": n,
        "user": {"name": f"u{n}", "mail": "m"},
        "tags": [{"t": n, "u": 1}, {"t": -n}],
        "a.b": n,
    }
    for n in range(1_000)
]


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        (["id"], {"id": 7}),
        (["a.b", "id"], {"id": 7, "a.b": 7}),
        (["user.name"], {"user": {"name": "u7"}}),
        (["user.name", "user.mail"], {"user": {"name": "u7", "mail": "m"}}),
        (["tags.t"], {"tags": [{"t": 7}, {"t": -7}]}),
        (["id", "id"], {"id": 7}),
    ],
)
def test_rows(agent, keys, row):
    token = agent.offer(ROWS).value["continuation_token"]
    page = agent.look(token, mode="filtered", filter_keys=keys)
    assert page["items"][7] == row
    assert page["missing_keys"] == []
    assert (page["total"], len(page["items"])) == (1_000, 20)


def test_next_goes_on_with_the_same_keys(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    pages = agent.walk(token, mode="filtered", filter_keys=["user.name"], page_size=300)
    items = [item for page in pages for item in page["items"]]
    assert items == [{"user": {"name": row["user"]["name"]}} for row in ROWS]


@pytest.mark.parametrize(
    ("keys", "missing"),
    [
        (["id", "nope"], ["nope"]),
        (["user.nope"], ["user.nope"]),
        (["id.x"], ["id.x"]),
        (["no"], ["no"]),
    ],
)
def test_unknown_keys_are_named(agent, keys, missing):
    token = agent.offer(ROWS).value["continuation_token"]
    page = agent.look(token, mode="filtered", filter_keys=keys)
    assert page["missing_keys"] == missing
    assert len(page["items"]) == 20


def test_a_key_that_comes_later_is_not_missing(agent):
    rows = [{"id": n, **({"late": 1} if n > 50 else {})} for n in range(3_000)]
    token = agent.offer(rows).value["continuation_token"]
    assert agent.look(token, mode="filtered", filter_keys=["late"])["missing_keys"] == []


def test_a_dict(agent):
    value = {"name": "x", "limits": {"cpu": 1, "mem": 2}, "body": "b" * 50_000}
    token = agent.offer(value).value["continuation_token"]
    told = agent.look(token, mode="filtered", filter_keys=["name", "limits.cpu", "no"])
    assert told == {"value": {"name": "x", "limits": {"cpu": 1}}, "missing_keys": ["no"]}


def test_a_dict_over_the_budget_pages(agent):
    value = {f"k{n}": {"keep": "x" * 300, "drop": 1} for n in range(300)}
    token = agent.offer(value).value["continuation_token"]
    keys = [f"k{n}.keep" for n in range(0, 300, 2)]
    pages = agent.walk(token, mode="filtered", filter_keys=keys)
    items = {item["key"]: item["value"] for page in pages for item in page["items"]}
    assert items == {f"k{n}": {"keep": "x" * 300} for n in range(0, 300, 2)}
    assert len(pages) > 1


def test_a_dict_with_one_list_filters_rows_and_envelope(agent):
    token = agent.offer({"took": 5, "rows": ROWS, "query": "x"}).value["continuation_token"]
    page = agent.look(token, mode="filtered", filter_keys=["id", "took"])
    assert page["items"][1] == {"id": 1}
    assert page["envelope"] == {"took": 5}
    assert page["missing_keys"] == []


@pytest.mark.parametrize("value", ["text\n" * 9_000, [1] * 20_000])
def test_where_there_are_no_keys(agent, value):
    token = agent.offer(value).value["continuation_token"]
    refusal = agent.refused(token, mode="filtered", filter_keys=["id"])
    assert "summary" in refusal["next_step"] or "paginated" in refusal["next_step"]


def test_values_are_not_rounded(agent):
    digits = b"12345678901234567890.1234567890"
    raw = b"[" + b",".join([b'{"n":' + digits + b',"x":"\\u00e9"}'] * 1_000) + b"]"
    token = agent.offer(Result(structured=msgspec.Raw(raw))).value["continuation_token"]
    assert digits in agent.reply(token, mode="filtered", filter_keys=["n"]).payload
