"""An agent that has only the tool: it calls, follows tokens and paths, and weighs every reply."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weighing import over

from penstock.core.budget.measure import Meter
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Frame, LiveRows, Principal, Result
from penstock.gate.gate import Gate
from penstock.settings.policy import Policy
from penstock.stores import open_store


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Counted:
    """A source of random bytes that are the same in every run."""

    drawn: int = 0

    def __call__(self, size: int) -> bytes:
        self.drawn += 1
        return hashlib.sha256(str(self.drawn).encode()).digest()[:size]


@dataclass
class Agent:
    """An agent of one tool. It has its own gate unless it is given one."""

    policy: Policy  # for the tool
    meter: Meter
    frame: Frame = field(default_factory=Frame)
    store: Any = None
    clock: Clock = field(default_factory=Clock)
    random: Counted = field(default_factory=Counted)
    principal: Principal = field(default_factory=lambda: Principal("someone"))
    ascii_only: bool = False  # the tool escapes other characters in its JSON
    tool: str = "tool"
    gate: Any = None
    hooks: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.store = self.store or open_store("memory:", capacity=2**28, quota=2**28)
        self.gate = self.gate or Gate(
            self.policy, self.store, meter=self.meter, clock=self.clock, random=self.random
        )

    def call(self, arguments: dict[str, Any] | None = None) -> Call:
        return Call(self.tool, arguments or {}, self.principal, "server", self.frame)

    def first(self, result: Result | LiveRows) -> Reply:
        """Make the first call. The reply keeps the budget, or `inline` if the result passes whole."""
        reply = self.gate.call(self.call(), lambda _: result, **self.hooks)
        refused = reply.is_error and not (isinstance(result, Result) and result.is_error)
        negotiated = refused or "available_modes" in told(reply)
        budget = self.policy.budget if negotiated else self.policy.inline_budget
        problem = over(reply, budget, self.meter, both=self.policy.shows_both)
        assert not problem, problem
        return reply

    def read(self, token: str, **fields: Any) -> Reply:
        """Make a call with a token."""
        call = self.call({"continuation_token": token, **fields})
        reply = self.gate.read(call, **self.hooks)
        in_full = fields.get("mode") == "full" and not reply.is_error and not is_link(reply)
        budget = self.policy.ceiling if in_full else self.policy.budget
        problem = over(reply, budget, self.meter, both=self.policy.shows_both)
        assert not problem, problem
        return reply


def agent_in(
    scene: Any, *, ascii_only: bool = False, hooks: Mapping[str, Any] | None = None, **settings: Any
) -> Agent:
    """Return an agent behind a gate that keeps the scene's budget."""
    policy = Policy(budget=scene.budget, shows_both=scene.both, **settings)
    return Agent(policy, scene.meter, scene.frame, ascii_only=ascii_only, hooks=hooks or {})


def is_link(reply: Reply) -> bool:
    """Return whether the reply links to a result that is above the ceiling."""
    return any(block["type"] == "resource_link" for block in reply.content)


def told(reply: Reply) -> dict[str, Any]:
    """Return a reply that Penstock made as a dict, and any other as an empty one."""
    if reply.is_text or reply.untouched is not None:
        return {}
    value = json.loads(reply.text)
    return value if isinstance(value, dict) else {}
