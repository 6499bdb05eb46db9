"""Unique request ids for several clients that share one process.

Two clients may both use the id 1. On the way to the process, every request and its progress token
get a new, unique name; on the way back, the original one returns. The same holds for messages that
name a request: cancellations, and the messages of a subscription, which carry the id of the request
that opened it. No other message of a server names a request: it belongs to nobody.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Generic, TypeVar

import msgspec

from penstock.wire import messages
from penstock.wire.eras import SUBSCRIPTION_META
from penstock.wire.messages import Message

Owner = TypeVar("Owner")


class Renamed(msgspec.Struct, Generic[Owner], frozen=True):
    """A request in progress: its owner, and its original names."""

    owner: Owner
    key: bytes
    token: bytes | None  # the progress token
    is_subscription: bool = False


class Renaming(Generic[Owner]):
    def __init__(self) -> None:
        self._numbers = count(1)
        self._requests: dict[bytes, Renamed[Owner]] = {}

    def owners(self) -> list[Owner]:
        """Return the owner of each request in progress, the latest last."""
        return [renamed.owner for renamed in self._requests.values()]

    def names(self) -> list[bytes]:
        """Return the new name of each request in progress."""
        return list(self._requests)

    def outgoing(self, owner: Owner, message: bytes, read: Message) -> tuple[bytes, bytes]:
        """Return the request's new name, and the request under that name."""
        name = b'"%d"' % next(self._numbers)
        params = messages.members_of(read.params)
        meta = messages.members_of(params.get("_meta", msgspec.UNSET))
        token = meta.get("progressToken")
        self._requests[name] = Renamed(
            owner,
            read.key,
            None if token is None else bytes(token),
            is_subscription=read.method == "subscriptions/listen",
        )
        changed: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(message))
        changed["id"] = name
        if token is not None:
            changed["params"] = _with_meta(params, {**meta, "progressToken": name})
        return name, messages.object_from(changed)

    def incoming(self, message: bytes, read: Message) -> tuple[Owner, bytes] | None:
        """Return the owner of a message, and the message with its original names; None if it names
        no request in progress."""
        if read.method is msgspec.UNSET:
            renamed = self._requests.pop(read.key, None)
            return None if renamed is None else (renamed.owner, _answer(message, renamed))
        params = messages.members_of(read.params)
        meta = messages.members_of(params.get("_meta", msgspec.UNSET))
        changed: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(message))
        if read.method == "notifications/progress" and "progressToken" in params:
            renamed = self._requests.get(messages.id_key(params["progressToken"]))
            if renamed is None or renamed.token is None:
                return None
            changed["params"] = messages.object_from({**params, "progressToken": renamed.token})
            return renamed.owner, messages.object_from(changed)
        if SUBSCRIPTION_META in meta:
            renamed = self._requests.get(messages.id_key(meta[SUBSCRIPTION_META]))
            if renamed is None:
                return None
            changed["params"] = _with_meta(params, {**meta, SUBSCRIPTION_META: renamed.key})
            return renamed.owner, messages.object_from(changed)
        return None

    def closed_by(self, read: Message) -> Owner | None:
        """Return the owner of the subscription that the server closes by this message, and forget
        the subscription. A server must not cancel any other request."""
        named = messages.members_of(read.params).get("requestId")
        if read.method != "notifications/cancelled" or named is None:
            return None
        name = messages.id_key(named)
        renamed = self._requests.get(name)
        if renamed is None or not renamed.is_subscription:
            return None
        del self._requests[name]
        return renamed.owner

    def forget(self, owner: Owner) -> list[bytes]:
        """Forget the owner's requests, and return the names that the process knows them by."""
        names = [name for name, renamed in self._requests.items() if renamed.owner is owner]
        for name in names:
            del self._requests[name]
        return names

    def forget_one(self, owner: Owner, key: bytes) -> bytes:
        """Forget one request of the owner's. Return the name that the process knows it by, or b""."""
        for name, renamed in self._requests.items():
            if renamed.owner is owner and renamed.key == key:
                del self._requests[name]
                return name
        return b""

    def is_waiting(self, name: bytes) -> bool:
        return name in self._requests


def _answer(message: bytes, renamed: Renamed[Any]) -> bytes:
    changed: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(message))
    changed["id"] = renamed.key
    result = changed.get("result")
    if result is not None and SUBSCRIPTION_META.encode() in bytes(result):
        members = messages.members_of(result)
        meta = messages.members_of(members.get("_meta", msgspec.UNSET))
        if SUBSCRIPTION_META in meta:
            changed["result"] = _with_meta(members, {**meta, SUBSCRIPTION_META: renamed.key})
    return messages.object_from(changed)


def _with_meta(members: dict[str, msgspec.Raw], meta: dict[str, Any]) -> bytes:
    return messages.object_from({**members, "_meta": messages.object_from(meta)})
