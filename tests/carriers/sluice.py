"""A sluice in front of a real Redis: a store that a test can stop, and see waiting."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import redis
from relay_processes import PATIENCE

PART = 1 << 16


class Sluice:
    """A TCP address that leads to a Redis on a Unix socket. While it is shut, it holds commands
    back."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._redis = redis.Redis.from_url(target)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open = threading.Event()
        self._open.set()
        self._held = threading.Semaphore(0)
        self._answered = threading.Semaphore(0)
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The URL of the store, with a timeout longer than any test shuts the sluice."""
        return (
            f"redis://127.0.0.1:{self._listening.getsockname()[1]}?socket_timeout={PATIENCE * 10}"
        )

    def keys(self) -> set[bytes]:
        """Return the keys in the store, even if the sluice is shut."""
        return set(self._redis.keys("penstock:*"))

    @contextmanager
    def shut(self) -> Iterator[None]:
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()

    def wait_for_command(self) -> None:
        """Wait until the sluice holds a command back."""
        assert self._held.acquire(timeout=PATIENCE), "the store was not used"

    def wait_for_reply(self) -> None:
        """Wait until Redis has carried out a command that was held back."""
        assert self._answered.acquire(timeout=PATIENCE), "the store did not answer"

    def close(self) -> None:
        self._open.set()
        self._redis.close()
        for end in (self._listening, *self._sockets):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client = self._listening.accept()[0]
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target.removeprefix("unix://"))
                self._sockets += [client, server]
                was_held = threading.Event()
                for way in (self._up, self._down):
                    arguments = (client, server, was_held)
                    threading.Thread(target=way, args=arguments, daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket, was_held: threading.Event) -> None:
        with suppress(OSError), closing(server):
            while part := client.recv(PART):
                if not self._open.is_set():
                    was_held.set()
                    self._held.release()
                    self._open.wait()
                server.sendall(part)
            server.shutdown(socket.SHUT_RDWR)

    def _down(
        self, client: socket.socket, server: socket.socket, was_held: threading.Event
    ) -> None:
        with suppress(OSError), closing(client):
            while part := server.recv(PART):
                client.sendall(part)
                if was_held.is_set():
                    was_held.clear()
                    self._answered.release()
