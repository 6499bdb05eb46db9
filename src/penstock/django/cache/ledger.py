"""Notes of what one process has put into a cache, because a cache cannot list its values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock

from penstock.core.model.store import Stats

# Below this number of notes, it is not worth looking for expired ones.
SPARE_NOTES = 64


@dataclass(frozen=True, slots=True)
class _Note:
    size: int
    expires: float


class Ledger:
    """Notes of entries. Now and then, `note` drops those of expired entries, so that there are
    never many more notes than entries."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notes: dict[str, _Note] = {}
        self._most = SPARE_NOTES

    def note(self, key: str, *, size: int, expires: float, now: float) -> None:
        with self._lock:
            self._notes[key] = _Note(size, expires)
            if len(self._notes) > self._most:
                live = {key: note for key, note in self._notes.items() if note.expires > now}
                self._notes, self._most = live, 2 * len(live) + SPARE_NOTES

    def move(self, key: str, expires: float) -> None:
        with self._lock:
            if key in self._notes:
                self._notes[key] = replace(self._notes[key], expires=expires)

    def strike(self, key: str) -> None:
        with self._lock:
            self._notes.pop(key, None)

    def expired(self, now: float) -> list[str]:
        with self._lock:
            return [key for key, note in self._notes.items() if note.expires <= now]

    def stats(self) -> Stats:
        with self._lock:
            sizes = [note.size for note in self._notes.values()]
        return Stats(entries=len(sizes), bytes=sum(sizes))
