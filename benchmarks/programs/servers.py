"""The servers of the tasks: pinned in `servers.toml`, and installed once."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from benchmarks.peers import Contender
from benchmarks.registry import Pin, kept_command

_PINS: Final = Path(__file__).parent / "servers.toml"


class Server(msgspec.Struct, frozen=True):
    """The command that starts a server, and its variables."""

    command: tuple[str, ...]
    environment: dict[str, str]

    @property
    def contender(self) -> Contender:
        return Contender(self.command)


@cache
def pins() -> dict[str, Pin]:
    return msgspec.convert(tomllib.loads(_PINS.read_text(encoding="utf-8")), dict[str, Pin])


def server(name: str, **places: str) -> Server:
    """Return a server, installed, with the places of its data filled in."""
    pin = pins()[name]
    command = [part.format(**places) for part in kept_command(name, pin)]
    return Server(
        tuple(command), {key: value.format(**places) for key, value in pin.environment.items()}
    )
