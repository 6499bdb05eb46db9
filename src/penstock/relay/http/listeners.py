"""Sockets that listen."""

from __future__ import annotations

import socket
from typing import Final

from penstock.errors import PenstockError

_BACKLOG: Final = 2_048


class CannotListen(PenstockError):
    """Penstock cannot listen on this address."""

    next_step = "Choose another with --bind and --port."


class Listener(socket.socket):
    """A socket whose queue of connections stays long, though the event loop takes few at once."""

    def listen(self, _backlog: int = _BACKLOG, /) -> None:
        super().listen(_BACKLOG)
