"""Findings of a check: what is as it should be, and what is not, with a next step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Status = Literal["ok", "optional", "warning", "broken"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One fact about this machine. Each that is not `ok` has a next step."""

    status: Status
    told: str
    next_step: str = ""
    facts: Mapping[str, Any] = {}  # for programs

    def __post_init__(self) -> None:
        if self.status != "ok" and not self.next_step:
            raise ValueError(f"a finding that is {self.status} needs a next step: {self.told}")


class CheckupSection(msgspec.Struct, frozen=True):
    """The findings about one thing."""

    title: str
    findings: tuple[Finding, ...]


def fine(told: str, **facts: Any) -> Finding:
    return Finding(status="ok", told=told, facts=facts)


def optional(told: str, next_step: str, **facts: Any) -> Finding:
    """Return that something is missing which most people do not need."""
    return Finding(status="optional", told=told, next_step=next_step, facts=facts)


def warning(told: str, next_step: str, **facts: Any) -> Finding:
    return Finding(status="warning", told=told, next_step=next_step, facts=facts)


def broken(told: str, next_step: str, **facts: Any) -> Finding:
    return Finding(status="broken", told=told, next_step=next_step, facts=facts)
