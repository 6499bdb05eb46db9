"""The accounts of a store in memory: which entries count against whom, in the order of their use."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.stores.eviction import Held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.core.model.store import Account, Record


@dataclass(slots=True)
class _Place:
    record: Record
    size: int
    used: int


@dataclass(slots=True)
class _Holding:
    """The entries of one account, each kind in the order of its use."""

    bytes: int = 0
    derived: OrderedDict[str, None] = field(default_factory=OrderedDict)
    others: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def group(self, record: Record) -> OrderedDict[str, None]:
        return self.derived if record.parents else self.others


class MemoryAccounts:
    """The accounts. The caller holds the store's lock."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}
        self._kept: dict[Account, _Holding] = {}
        self._bytes = 0
        self._uses = 0

    def add(self, key: str, record: Record) -> None:
        kept = self._kept.setdefault(record.payer, _Holding())
        kept.group(record)[key] = None
        size = record.size
        kept.bytes += size
        self._bytes += size
        self._uses += 1
        self._places[key] = _Place(record, size, self._uses)

    def use(self, key: str) -> None:
        place = self._places[key]
        self._uses += 1
        place.used = self._uses
        self._kept[place.record.payer].group(place.record).move_to_end(key)

    def remove(self, key: str) -> None:
        place = self._places.pop(key)
        record = place.record
        kept = self._kept[record.payer]
        del kept.group(record)[key]
        kept.bytes -= place.size
        self._bytes -= place.size
        if not kept.derived and not kept.others:
            del self._kept[record.payer]

    # As `Holdings`

    def total(self) -> int:
        return self._bytes

    def of(self, account: Account) -> int:
        kept = self._kept.get(account)
        return kept.bytes if kept else 0

    def accounts(self) -> Iterable[tuple[Account, int, int]]:
        for account, kept in self._kept.items():
            first = next(iter(kept.derived or kept.others))
            yield account, kept.bytes, self._places[first].used

    def entries(self, account: Account) -> Iterator[Held]:
        kept = self._kept.get(account)
        for group in (kept.derived, kept.others) if kept else ():
            for key in group:
                place = self._places[key]
                yield Held(key, place.size, place.used)

    def replaced(self, key: str) -> tuple[Account, int] | None:
        place = self._places.get(key)
        return (place.record.payer, place.size) if place else None
