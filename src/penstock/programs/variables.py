"""The variables of programs between two programs of one session, kept in the store.

The store ends their life as it ends that of a result: after some time without use, or to make room.
A record holds the sandbox's own dump, so only a store that others cannot write to may hold it.
"""

from __future__ import annotations

import hashlib
import threading
from typing import Final

import msgspec
import zstandard

from penstock.core.json.encoding import encode
from penstock.core.model.program import Source
from penstock.core.model.store import Account, Record, Store
from penstock.errors import StoreError

_KIND: Final = "variables 1"
_DUMP_SHARE: Final = 4  # of the most that a dump may take of the memory of a program
_LEVEL: Final = 1


class Kept(msgspec.Struct, frozen=True):
    """The variables of a session: the dump, the results they were made from, and their edition."""

    dump: bytes = b""
    sources: tuple[Source, ...] = ()
    edition: int = 0  # grows with every program that kept variables
    may_gather: bool = False  # a function among them may make calls at the same time
    names: frozenset[str] = frozenset()
    is_lost: bool = False  # there were variables, which cannot be read


class _Head(msgspec.Struct, frozen=True):
    kind: str
    edition: int
    sources: tuple[Source, ...]
    may_gather: bool = False
    names: frozenset[str] = frozenset()


_HEAD: Final = msgspec.msgpack.Decoder(_Head)
NOTHING: Final = Kept()
_SAVING: Final = threading.Lock()  # two programs of one process never overwrite each other's


class Variables:
    """The variables of one session."""

    def __init__(
        self, store: Store, owner: str, holder: str, account: Account | None = None
    ) -> None:
        self._store = store
        self._owner = owner
        self._account = account
        named = encode([_KIND, owner, holder])
        self._key = hashlib.sha256(named).hexdigest()

    def load(self, now: float) -> Kept:
        try:
            found = self._store.load(self._key, now=now, rows=(0, 1))
        except StoreError:
            return Kept(is_lost=True)
        if found is None:
            return NOTHING
        try:
            head = _HEAD.decode(found.head)
            dump = zstandard.ZstdDecompressor().decompress(found.chunks[0])
        except (msgspec.MsgspecError, zstandard.ZstdError, KeyError):
            return Kept(is_lost=True)
        return Kept(dump, head.sources, head.edition, head.may_gather, head.names)

    def save(self, kept: Kept, now: float, life: float) -> str:
        """Keep the variables, unless another program has kept its own meanwhile. Return why they
        were not kept, or ""."""
        with _SAVING:
            return self._save(kept, now, life)

    def _save(self, kept: Kept, now: float, life: float) -> str:
        if self.load(now).edition >= kept.edition:
            return "another program of this session ended meanwhile and kept its own"
        head = _Head(_KIND, kept.edition, kept.sources, kept.may_gather, kept.names)
        chunk = zstandard.ZstdCompressor(level=_LEVEL).compress(kept.dump)
        packed = msgspec.msgpack.encode(head)
        record = Record(self._owner, now + life, packed, bytes(8), (chunk,), self._account)
        try:
            self._store.put(self._key, record, now=now)
        except StoreError as error:
            return f"the store did not take them: {error.message}"
        return ""


def most_kept(memory: int) -> int:
    """Return how large a dump may be. Loading it takes about four times its size."""
    return memory // _DUMP_SHARE
