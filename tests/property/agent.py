"""An agent that has nothing but the tool: it calls, follows tokens and paths, and weighs
every reply that it gets."""

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
    """Random bytes that come the same way every time."""

    drawn: int = 0

    def __call__(self, size: int) -> bytes:
        self.drawn += 1
        return hashlib.sha256(str(self.drawn).encode()).digest()[:size]


@dataclass
class Agent:
    """`policy` is what holds for the tool. A gate of its own, unless it is given one."""

    policy: Policy
    meter: Meter
    frame: Frame = field(default_factory=Frame)
    store: Any = None
    clock: Clock = field(default_factory=Clock)
    random: Counted = field(default_factory=Counted)
    principal: Principal = field(default_factory=lambda: Principal("someone"))
    ascii_only: bool = False  # how the tool spells its JSON
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
        """The first call. Within the budget, or within `inline` where it passed whole."""
        reply = self.gate.call(self.call(), lambda _: result, **self.hooks)
        refused = reply.is_error and not (isinstance(result, Result) and result.is_error)
        negotiated = refused or "available_modes" in told(reply)
        budget = self.policy.budget if negotiated else self.policy.inline_budget
        problem = over(reply, budget, self.meter)
        assert not problem, problem
        return reply

    def read(self, token: str, **fields: Any) -> Reply:
        """The second call."""
        call = self.call({"continuation_token": token, **fields})
        reply = self.gate.read(call, **self.hooks)
        in_full = fields.get("mode") == "full" and not reply.is_error and not is_link(reply)
        budget = self.policy.ceiling if in_full else self.policy.budget
        problem = over(reply, budget, self.meter)
        assert not problem, problem
        return reply


def agent_in(
    scene: Any, *, ascii_only: bool = False, hooks: Mapping[str, Any] | None = None, **settings: Any
) -> Agent:
    """An agent behind a gate that keeps the scene's budget."""
    policy = Policy(budget=scene.budget, **settings)
    return Agent(policy, scene.meter, scene.frame, ascii_only=ascii_only, hooks=hooks or {})


def is_link(reply: Reply) -> bool:
    """Whether it stands for a whole that is above the ceiling."""
    return any(block["type"] == "resource_link" for block in reply.content)


def told(reply: Reply) -> dict[str, Any]:
    """A reply of Penstock's own as a dict; what is none is empty."""
    if reply.is_text or reply.untouched is not None:
        return {}
    value = json.loads(reply.text)
    return value if isinstance(value, dict) else {}
