"""`full` up to its ceiling, a link above it, and `path`, which composes with every mode."""

from __future__ import annotations

import json

import msgspec
import pytest

from penstock import Frame, Principal, Refusal, Result

ROWS = [{"id": n, "name": f"name {n}"} for n in range(2_000)]


@pytest.mark.parametrize(
    "value",
    [
        ROWS,
        {"a": {"b": ROWS}},
        {"n": 1, "rows": ROWS},
        "line\n" * 9_000,
        ["é" * 30_000],
        "x" * 40_000,
    ],
    ids=["rows", "dict", "one list", "text", "list", "line"],
)
def test_full_is_the_original(agent, value):
    token = agent.offer(value).value["continuation_token"]
    assert agent.look(token, mode="full") == value


def test_full_is_the_original_to_the_byte(agent):
    raw = (
        b'[{"z":1.50,"a":123456789012345678901234567890,"e":"\\u00e9","a":1}'
        + b",1" * 20_000
        + b"]"
    )
    token = agent.offer(Result(structured=msgspec.Raw(raw))).value["continuation_token"]
    assert agent.reply(token, mode="full").payload == raw


@pytest.mark.parametrize(
    "value", [ROWS, {"a": ROWS, "b": ROWS}, "line\n" * 30_000], ids=["rows", "dict", "text"]
)
def test_above_the_ceiling_a_link_and_the_way_on(open_agent, value):
    agent = open_agent(ceiling="30kB")
    token = agent.offer(value).value["continuation_token"]
    reply = agent.reply(token, mode="full")
    assert not reply.is_error
    told, (_, link) = reply.value, reply.content
    assert link["type"] == "resource_link"
    assert token.removeprefix("pen_") not in link["uri"]
    assert told["total_size"] > link["size"] > 30_000  # quotes in the JSON are escaped in a reply
    assert agent.look(told["next"])["items"]
    assert told["next_step"]
    resource = agent.gate.read_resource(agent.template, link["uri"])
    found = resource.text if isinstance(value, str) else json.loads(resource.text)
    assert found == value
    assert resource.mime_type == ("text/plain" if isinstance(value, str) else "application/json")


def link_of(agent, value, **fields):
    token = agent.offer(value).value["continuation_token"]
    return token, agent.reply(token, mode="full", **fields).content[1]["uri"]


def test_a_link_is_for_its_owner_alone(open_agent, clock):
    agent = open_agent(ceiling="30kB")
    token, uri = link_of(agent, ROWS)
    refusals = [
        agent.but(principal=Principal("bob")).gate.read_resource(
            agent.but(principal=Principal("bob")).template, uri
        ),
        agent.gate.read_resource(agent.but(server="other").template, uri),
        agent.gate.read_resource(agent.template, uri[:-1] + ("A" if uri[-1] != "A" else "B")),
        agent.gate.read_resource(agent.template, "penstock://result/" + token.removeprefix("pen_")),
        agent.gate.read_resource(agent.template, "file:///etc/passwd"),
        agent.gate.read_resource(agent.template, uri, authorize=lambda tool, origin: False),
    ]
    clock.pass_by(301)
    refusals.append(agent.gate.read_resource(agent.template, uri))
    assert len(set(refusals)) == 1
    assert isinstance(refusals[0], Refusal)


def test_a_handle_is_no_token(open_agent):
    agent = open_agent(ceiling="30kB")
    _, uri = link_of(agent, ROWS)
    agent.refused("pen_" + uri.removeprefix("penstock://result/"))


def test_a_link_to_a_part(open_agent):
    agent = open_agent(ceiling="30kB")
    _, uri = link_of(agent, {"a": ROWS, "b": 1, "c": []}, path="/a")
    assert json.loads(agent.gate.read_resource(agent.template, uri).text) == ROWS


def test_structured_content_must_be_an_object(open_agent):
    agent = open_agent(call={"frame": Frame(structured=True)})
    rows = agent.offer(ROWS).value["continuation_token"]
    assert agent.reply(rows, mode="full").structured_content == {"result": ROWS}
    wrapped = agent.offer(Result(structured={"result": ROWS})).value["continuation_token"]
    assert agent.reply(wrapped, mode="full").structured_content == {"result": ROWS}
    assert agent.reply(rows, mode="full", path="/0").structured_content == {"value": ROWS[0]}
    plain = agent.offer({"a": {"b": ROWS}}).value["continuation_token"]
    assert agent.reply(plain, mode="full").structured_content == {"a": {"b": ROWS}}


# -- path --------------------------------------------------------------------------------------

NESTED = {
    "rows": ROWS,
    "others": [[1, 2, [3]], {"x": {"y": "deep"}}],
    "a/b": {"c~d": {"": "empty key", "é": [10]}},
    "log": "first line\nsecond line\n" + "third\n" * 50,
    "long": "s" * 40_000,
    "n": 5,
}


@pytest.fixture
def nested(agent):
    return agent.offer(NESTED).value["continuation_token"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", NESTED),
        ("/", NESTED),
        ("/rows/1999", ROWS[1_999]),
        ("/rows/0/name", "name 0"),
        ("/others/0/2/0", 3),
        ("/others/1/x/y", "deep"),
        ("/a~1b", NESTED["a/b"]),
        ("/a~1b/c~0d/é/0", 10),
        ("/a~1b/c~0d/", "empty key"),
        ("/n", 5),
        ("/log", NESTED["log"]),
        ("/long", NESTED["long"]),
    ],
)
def test_path_with_full_gives_the_part(agent, nested, path, value):
    assert agent.look(nested, path=path, mode="full") == value


@pytest.mark.parametrize(
    "path",
    [
        "rows",
        "/rows/2000",
        "/rows/-1",
        "/rows/01",
        "/rows/x",
        "/no",
        "/n/x",
        "/a~2b",
        "/log/x",
        "/rows/0/name/x",
        "/rows/" + "9" * 30,
        "#/rows",
    ],
)
def test_a_path_to_nowhere_says_what_is_there(agent, nested, path):
    refusal = agent.refused(nested, path=path)
    assert "path" in refusal["error"]
    assert refusal["next_step"]


def test_path_with_every_mode(agent, nested):
    assert agent.look(nested, path="/rows")["items"] == ROWS[:20]
    assert agent.look(nested, path="/rows", page=100)["items"] == ROWS[1_980:]
    assert agent.look(nested, path="/rows", mode="summary")["total"] == 2_000
    assert agent.look(nested, path="/rows", mode="filtered", filter_keys=["id"])["items"][1] == {
        "id": 1
    }
    assert (
        agent.look(nested, path="/rows", mode="search", query="name 1999")["items"][0]["path"]
        == "/rows/1999"
    )
    answer = agent.look(nested, path="/rows", mode="sql", query="SELECT count(*) AS n FROM result")
    assert answer["items"] == [{"n": 2_000}]
    assert agent.look(nested, path="/others", mode="query", query=".[1].x.y")["value"] == "deep"
    assert agent.look(nested, path="/log")["items"][:2] == ["first line", "second line"]
    assert agent.look(nested, path="/log", mode="sql", query="SELECT text FROM result LIMIT 1")[
        "items"
    ] == [{"text": "first line"}]
    assert agent.look(nested, path="/n")["items"] == [5]
    windows = agent.walk(nested, path="/long")
    assert "".join(page["items"][0] for page in windows) == NESTED["long"]


def test_next_of_a_part_stays_in_the_part(agent, nested):
    pages = agent.walk(nested, path="/rows", page_size=700)
    assert [row for page in pages for row in page["items"]] == ROWS


def test_the_one_list_can_be_reached_by_name_and_so_can_its_neighbours(agent):
    token = agent.offer({"about": {"x": [1]}, "rows": ROWS}).value["continuation_token"]
    assert agent.look(token, path="/rows/7", mode="full") == ROWS[7]
    assert agent.look(token, path="/rows")["total"] == 2_000
    assert agent.look(token, path="/about/x/0", mode="full") == 1


def test_a_line_of_a_text(agent):
    token = agent.offer("\n".join(f"line {n}" for n in range(5_000))).value["continuation_token"]
    assert agent.look(token, path="/4999", mode="full") == "line 4999"


def test_of_duplicate_keys_the_last_counts(agent):
    raw = b'{"a":1,"b":{"c":1,"c":2},"a":[7],"l":[],"pad":"' + b"x" * 40_000 + b'"}'
    token = agent.offer(Result(structured=msgspec.Raw(raw))).value["continuation_token"]
    assert agent.look(token, path="/a", mode="full") == [7]
    assert agent.look(token, path="/b/c", mode="full") == 2
    assert agent.reply(token, mode="full").payload == raw


def test_a_key_too_long_to_repeat_is_reached_by_its_place(open_agent):
    agent = open_agent(budget="2kB")
    key = "k" * 3_000
    token = agent.offer({"a": 1, key: {"x": 7}, "b": [], "c": []}).value["continuation_token"]
    stub = next(
        item for page in agent.walk(token) for item in page["items"] if "$path" in json.dumps(item)
    )
    found = stub.get("$path") or stub["value"]["$path"]
    assert agent.look(token, path=found + "/x", mode="full") == 7


def test_long_paths_and_many_keys_fit_any_budget(open_agent):
    agent = open_agent(budget="1kB")
    value = 1
    for n in range(60):
        value = {f"level {n} {'k' * 30}": value if n else [{"id": m} for m in range(500)]}
    token = agent.offer(value).value["continuation_token"]
    path = "".join(f"/level {n} {'k' * 30}" for n in reversed(range(60)))
    pages = agent.walk(token, path=path)
    assert [row["id"] for page in pages for row in page["items"]] == list(range(500))


def test_a_large_image_is_read_through_its_link_as_an_image(open_agent):
    agent = open_agent(media_cap="10kB")
    picture = {"type": "image", "data": "aGlo" * 10_000, "mimeType": "image/png"}
    probe = agent.offer(Result(content=[picture])).value
    assert probe["preview"] == "image, image/png, 30,000 bytes; mode full links to it"
    link = agent.reply(probe["continuation_token"], mode="full").content[1]
    assert link["mimeType"] == "image/png"
    resource = agent.gate.read_resource(agent.template, link["uri"])
    assert (resource.mime_type, resource.blob, resource.text) == ("image/png", picture["data"], "")


def test_the_way_into_a_row_of_a_list_whose_key_comes_again(open_agent):
    """If a key occurs twice, a path with that key leads to the last one."""
    agent = open_agent(budget="1kB")
    rows = json.dumps([{"id": n, "text": "x" * 3_000} for n in range(3)], separators=(",", ":"))
    raw = '{"rows":' + rows + ',"rows":1}'
    token = agent.offer(Result(structured=msgspec.Raw(raw.encode()))).value["continuation_token"]
    [stub, *_] = agent.look(token)["items"]
    assert stub["$path"] == "/~#0/value/0"
    assert agent.look(token, path=stub["$path"] + "/id", mode="full") == 0
