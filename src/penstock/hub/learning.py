"""The lists of one server: all pages of each, all lists at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.hub.client_state import ClientState
from penstock.hub.effects import AskEach, AskMember, KeepList, MemberAnswer, Steps
from penstock.hub.kinds import LIST_METHOD, Kind
from penstock.hub.member_state import MemberState
from penstock.wire import messages
from penstock.wire.list_limits import PageCount
from penstock.wire.messages import METHOD_NOT_FOUND

_SECONDS: Final = 60.0


class _Pages:
    """One list, as far as it was read."""

    def __init__(self, member: MemberState, kind: Kind) -> None:
        self.member = member
        self.kind = kind
        self.changes = member.changes[kind]
        self.items: list[msgspec.Raw] = []
        self.page: Mapping[str, msgspec.Raw] = {}
        self.cursor: str | None = None
        self._count = PageCount()

    def ask(self, client: ClientState) -> AskMember:
        params: dict[str, bytes | msgspec.Raw] = {}
        if self.cursor is not None:
            params["cursor"] = rawjson.string(self.cursor)
        if self.member.era == "modern":
            params["_meta"] = messages.object_from(client.meta())
        sent = messages.object_from(params)
        return AskMember(self.member, LIST_METHOD[self.kind], sent, _SECONDS)

    def take(self, answer: MemberAnswer) -> KeepList | None:
        """Take one page. Return the whole list once it has ended, or why it cannot be read."""
        if answer.result is None:
            is_without = answer.code == METHOD_NOT_FOUND and not self.page
            return self._kept() if is_without else self._failed(answer.told)
        items = items_in(answer.result, self.kind)
        if items is None:
            return self._failed("it gave no list")
        self.page = answer.result
        self.items += items
        self.cursor = messages.text_of(answer.result, "nextCursor")
        wrong = self._count.add(items, self.cursor)
        if wrong:
            return self._failed(f"its list {wrong}")
        return self._kept() if self.cursor is None else None

    def _kept(self) -> KeepList:
        return KeepList(self.member, self.kind, self.items, self.page, self.changes)

    def _failed(self, why: str) -> KeepList:
        return KeepList(self.member, self.kind, None, {}, self.changes, why)


def learn(client: ClientState, member: MemberState, kinds: Iterable[Kind]) -> Steps:
    """Read these lists of a server, and keep each as soon as it is complete."""
    reading = [_Pages(member, kind) for kind in kinds]
    while reading:
        answers = yield AskEach([pages.ask(client) for pages in reading])
        unfinished = []
        for pages, answer in zip(reading, answers, strict=True):
            done = pages.take(answer)
            if done is None:
                unfinished.append(pages)
            else:
                yield done
        reading = unfinished
    return b""


def items_in(result: Mapping[str, msgspec.Raw], kind: str) -> list[msgspec.Raw] | None:
    """Return the items of a page, or None if the result is no such page."""
    raw = result.get(kind)
    return None if raw is None else messages.items_of(raw)
