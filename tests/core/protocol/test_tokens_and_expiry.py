"""Access to a stored result: by the right caller, for a time, and with one text for every refusal."""

from __future__ import annotations

import hmac
import logging
import sqlite3

import pytest

from penstock import Principal, open_store
from penstock.core.model.continuation import SECRET_BYTES, Position, Token, parse
from penstock.stores.memory import MemoryStore

ROWS = [{"id": n, "pad": "x" * 50} for n in range(1_000)]
SENTENCE = (
    "Continuation token expired or not found. Re-invoke without continuation_token to start a "
    "new negotiation."
)


class Touched(MemoryStore):
    def __init__(self):
        super().__init__()
        self.touches = []

    def touch(self, key, *, expires):
        self.touches.append(expires)
        super().touch(key, expires=expires)


def token_of(agent):
    return agent.offer(ROWS).value["continuation_token"]


def test_a_token_lives_for_its_ttl_and_not_longer(open_agent, clock):
    agent = open_agent()
    token = token_of(agent)
    clock.pass_by(299.9)
    agent.look(token)
    other = token_of(agent)
    clock.pass_by(300)
    assert agent.refused(other)["error"] == SENTENCE


def test_reading_extends_a_life_but_writes_only_below_half(open_agent, clock):
    store = Touched()
    agent = open_agent(store=store)
    token, start = token_of(agent), clock.now
    for seconds, touches in ((0, 0), (149, 0), (2, 1), (0, 1), (140, 1), (20, 2)):
        clock.pass_by(seconds)
        agent.look(token)
        assert len(store.touches) == touches
    assert store.touches == [start + 151 + 300, start + 311 + 300]


def test_a_life_slides_to_its_limit(open_agent, clock):
    agent = open_agent(ttl=300, max_ttl=700)
    token = token_of(agent)
    for _ in range(4):
        clock.pass_by(170)
        agent.look(token)
    clock.pass_by(19)
    agent.look(token)
    clock.pass_by(1)
    agent.refused(token)


def test_a_bearer_token_does_not_slide(open_agent, clock):
    store = Touched()
    agent = open_agent(store=store, bearer_ttl=100, call={"principal": Principal()})
    token = token_of(agent)
    clock.pass_by(90)
    agent.look(token)
    clock.pass_by(10)
    agent.refused(token)
    assert store.touches == []


def test_the_life_of_a_token_starts_when_the_tool_is_done(open_agent, clock):
    """Even a tool that runs for longer than a token lives gives a token that works."""
    agent = open_agent()

    def slow(_arguments):
        clock.pass_by(1_000)
        return ROWS

    probe = agent.call(slow).value
    assert probe["expires_in"] == 300
    assert agent.look(probe["continuation_token"])["total"] == 1_000


def refused_in_every_way(agent, clock):
    """Return the replies to every kind of refused token, by the reason."""
    token = token_of(agent)
    place = str(parse(token).at(Position(row=20).pack()))
    changed = token[:10] + ("A" if token[10] != "A" else "B") + token[11:]
    forged = place[:-1] + ("A" if place[-1] != "A" else "B")
    allowed = {"yes": True}
    watched = agent.but()
    watched.hooks = {"authorize": lambda tool, origin: allowed["yes"]}
    watched.look(token)
    allowed["yes"] = False
    replies = {
        "unknown": agent.reply(str(Token(b"x" * 18))),
        "changed": agent.reply(changed),
        "forged place": agent.reply(forged),
        "not a token": agent.reply("hello"),
        "huge": agent.reply("pen_" + "a" * 100_000),
        "other principal": agent.but(principal=Principal("bob")).reply(token),
        "bearer": agent.but(principal=Principal()).reply(token),
        "other server": agent.but(server="elsewhere").reply(token),
        "other tool": agent.but(tool="other").reply(token),
        "permission revoked": watched.reply(token),
        "other principal, bad page": agent.but(principal=Principal("bob")).reply(token, page=-1),
        "unknown, bad mode": agent.reply(changed, mode="magic"),
    }
    clock.pass_by(301)
    return {**replies, "expired": agent.reply(token)}


def test_refusals_are_the_same_to_the_byte(agent, clock):
    replies = refused_in_every_way(agent, clock)
    assert {reply.wire() for reply in replies.values()} == {replies["unknown"].wire()}
    assert replies["unknown"].is_error
    assert replies["unknown"].value["error"] == SENTENCE


def test_the_reason_is_in_the_log_and_nowhere_else(agent, clock, caplog):
    with caplog.at_level(logging.INFO, "penstock"):
        replies = refused_in_every_way(agent, clock)
    assert replies["other principal"].reason.endswith(": another principal or server")
    assert replies["other tool"].reason.endswith(": another tool")
    assert replies["permission revoked"].reason.endswith(": the source tool is no longer permitted")
    assert replies["expired"].reason.endswith(": unknown or expired")
    for reply in replies.values():
        assert reply.reason in caplog.text
        assert reply.reason not in reply.wire().decode()


def test_permission_is_asked_again_at_every_redemption(open_agent):
    asked = []
    agent = open_agent(hooks={"authorize": lambda tool, origin: asked.append(tool) or True})
    token = token_of(agent)
    first = agent.look(token)
    agent.look(first["next"])
    agent.but(tool="read_result", is_reader=True).look(token)
    agent.call(lambda _: "ok", rows=f"@result:{token}")
    assert asked == ["tool"] * 4


@pytest.fixture
def checked(monkeypatch):
    """Return a list that collects the texts whose mac is compared."""
    texts, compare = [], hmac.compare_digest

    def noted(minted, text):
        texts.append(text)
        return compare(minted, text)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    return texts


def test_a_token_is_checked_once_in_a_call(open_agent, checked):
    agent = open_agent(ceiling="1kB")
    token = token_of(agent)
    second = agent.look(token)["next"]
    assert checked == [token]
    agent.look(second)
    agent.call(lambda _: "ok", rows=f"@result:{token}")
    assert checked == [token, second, token]
    uri = agent.reply(token, mode="full").content[1]["uri"]
    agent.gate.read_resource(agent.template, uri)
    assert [text[:4] for text in checked[3:]] == ["pen_", "pen_"]


def test_a_token_is_checked_once_in_a_look_of_the_explorer(agent, checked):
    token = token_of(agent)

    def browse(**fields):
        reply = agent.gate.browse(agent._call({"continuation_token": token, **fields}))
        return reply.structured_content

    order = browse(sort={"column": "id", "descending": True})["order"]
    assert checked == [token]
    browse(order=order)
    assert checked == [token, token, order]


def test_the_reader_reads_what_any_tool_gave(agent):
    token = token_of(agent)
    reader = agent.but(tool="read_result", is_reader=True)
    assert reader.look(token)["total"] == 1_000
    assert reader.reply("").is_error


def test_a_position_goes_on_where_it_says_and_fields_win_over_it(agent):
    token = token_of(agent)
    second = agent.look(token, page_size=7)["next"]
    assert agent.look(second)["items"][0] == ROWS[7]
    assert agent.look(second)["page_size"] == 7
    assert agent.look(second, page=1)["items"][0] == ROWS[0]
    assert agent.look(second, mode="summary")["total"] == 1_000


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
def test_the_store_holds_no_secret(open_agent, tmp_path, kind):
    path = tmp_path / "results.db"
    store = open_store(f"sqlite:{path}") if kind == "sqlite" else MemoryStore()
    agent = open_agent(store=store, ceiling="1kB")
    probe = agent.offer(ROWS).value
    page = agent.look(probe["continuation_token"])
    derived = agent.look(probe["continuation_token"], mode="search", query="x")
    uri = agent.reply(probe["continuation_token"], mode="full").content[1]["uri"]
    texts = [probe["continuation_token"], page["next"], derived["continuation_token"]]
    texts.append("pen_" + uri.removeprefix("penstock://result/"))
    if kind == "sqlite":
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    else:
        kept = repr(store._entries).encode()
    assert len(kept) > 1_000
    for text in texts:
        digits = text.removeprefix("pen_").split(".")[0]
        secret = int(digits).to_bytes(SECRET_BYTES)
        assert digits.encode() not in kept
        assert secret not in kept
        assert secret.hex().encode() not in kept


def test_tokens_are_not_repeated(agent):
    assert len({token_of(agent) for _ in range(200)}) == 200
