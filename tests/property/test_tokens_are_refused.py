"""Every token that the caller may not use gets the same reply as one that never existed."""

from dataclasses import replace

from agent import Agent, told
from hypothesis import given
from hypothesis import strategies as st
from strategies import EXACT, TWICE

from penstock.core.budget.budget import Budget
from penstock.core.model.values import Principal, Result
from penstock.settings.policy import Policy

ROWS = Result.of([{"id": number, "text": "x" * 50} for number in range(100)])
ALPHABET = "ABCabc019_-.+/= pen\u0661é"


def _agent() -> Agent:
    return Agent(Policy(budget=Budget(bytes=2_000)), EXACT)


def _tokens(agent: Agent) -> tuple[str, str]:
    """Return a token for the start of a result, and one for a place in it."""
    first = str(told(agent.first(ROWS))["continuation_token"])
    return first, str(told(agent.read(first, mode="paginated", path="/"))["next"])


@given(st.integers(0, 1), st.data())
@TWICE
def test_a_changed_character_is_refused_like_an_unknown_token(which: int, data):
    agent = _agent()
    token = _tokens(agent)[which]
    unknown = agent.read("pen_" + "1" * 39)
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from(ALPHABET).filter(lambda c: c != token[place]))
    kind = data.draw(st.sampled_from(("changed", "inserted", "removed")))
    rest = token[place + 1 :] if kind != "inserted" else token[place:]
    altered = token[:place] + (other if kind != "removed" else "") + rest
    assert not agent.read(token).is_error
    assert agent.read(altered).wire() == unknown.wire()
    assert unknown.is_error


@given(st.integers(0, 1), st.sampled_from(("principal", "server", "tool", "time", "permission")))
def test_every_reason_reads_the_same(which: int, reason: str):
    agent = _agent()
    token = _tokens(agent)[which]
    unknown = agent.read("pen_" + "1" * 39)
    call = agent.call({"continuation_token": token})
    changes = {
        "principal": {"principal": Principal("another")},
        "server": {"server": "another"},
        "tool": {"tool": "another"},
    }
    call = replace(call, **changes.get(reason, {}))
    agent.clock.now += 301 if reason == "time" else 0
    may = reason != "permission"
    reply = agent.gate.call(call, _never, authorize=lambda *_: may)
    assert reply.wire() == unknown.wire()


def _never(_arguments):
    raise AssertionError("the tool was run for a token")


@given(st.lists(st.integers(1, 299), max_size=30))
def test_reading_extends_a_life_up_to_its_limit(pauses: list[int]):
    agent = _agent()
    token, _ = _tokens(agent)
    born = agent.clock.now
    for pause in pauses:
        agent.clock.now += min(pause, 149)
        alive = agent.clock.now < born + agent.policy.max_ttl
        assert agent.read(token).is_error != alive
        if not alive:
            return
