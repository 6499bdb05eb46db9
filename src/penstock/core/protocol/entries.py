"""How a result becomes an entry, and who may open it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from penstock.core.budget.fitting import ReplyScale
from penstock.core.budget.host_members import LEFT_OUT_META
from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.continuation import SECRET_BYTES, Position, Token
from penstock.core.model.effects import Authorize, Entry, LoadHead, Steps, Touch
from penstock.core.model.program import Source, sources_in
from penstock.core.model.questions import SQL_COLUMNS
from penstock.core.model.reply import Reply
from penstock.core.model.store import Account, Loaded, Record
from penstock.core.model.stored import HEAD_VERSION, Alias, Head, Live
from penstock.core.model.values import (
    ANONYMOUS_PARTIES,
    RESERVED_META,
    Call,
    LiveRows,
    Principal,
    Refusal,
    Result,
)
from penstock.core.protocol import schema
from penstock.core.results import formats
from penstock.core.results.document import Document
from penstock.core.results.ingest import Ingested
from penstock.core.results.media import media_in
from penstock.core.results.sample import Sample
from penstock.core.views.full import with_members
from penstock.core.views.request import TOKEN_FIELD
from penstock.errors import EntryCorrupt, StoreError
from penstock.settings.policy import Policy

REFUSED = Refusal(
    f"Continuation token expired or not found. Re-invoke without {TOKEN_FIELD} to start a new "
    "negotiation.",
    f"Call the tool that gave the token again, without {TOKEN_FIELD}; if it writes, read what it wrote "
    "with another tool instead.",
)
_HEAD = msgspec.msgpack.Decoder(Head)
_DIGEST_BYTES = 12
COPY_SECONDS = 60
CLOCK_SKEW = 60  # the seconds by which the clocks of machines with one store may differ
# In `_meta`, the count of bytes of upstream's message that were not UTF-8 and were replaced.
REPLACED_META = "dev.penstock/replaced_bytes"
_ABOUT_MESSAGE = (RESERVED_META, LEFT_OUT_META, REPLACED_META)


@dataclass(frozen=True, slots=True)
class Context:
    """The outside world as one call sees it: the settings, a meter, the time and random bytes."""

    policy: Policy
    meter: Meter
    now: float
    random: Callable[[int], bytes]

    def scale(self, call: Call) -> ReplyScale:
        return ReplyScale(self.policy.budget, call.frame, self.meter, self.policy.showing)

    def life(self, call: Call) -> float:
        return self.policy.bearer_ttl if call.principal.is_bearer else self.policy.ttl


class Denied(msgspec.Struct, frozen=True):
    """The refusal of a token. `reason` is for the log; the caller never sees it."""

    reason: str


UNKNOWN = Denied("unknown or expired")
EXPIRED = Denied("expired")
NOT_A_TOKEN = Denied("not a token")
# A clock was set back since. The entry would live for the time between and its own life.
FROM_THE_FUTURE = Denied("made in the future: the clock of a machine was set back, or is wrong")


def is_unknown(reason: str) -> bool:
    """Return whether a token was refused because the store has no entry for it, by the `reason`."""
    return reason in (token_refusal(UNKNOWN).reason, token_refusal(NOT_A_TOKEN).reason)


def token_refusal(denied: Denied) -> Refusal:
    """Return the one refusal that every bad token gets. Its `reason` is for the log."""
    return msgspec.structs.replace(REFUSED, reason=f"a token was refused: {denied.reason}")


# -- making ------------------------------------------------------------------------------------


def new_entry(
    call: Call,
    context: Context,
    ingested: Ingested,
    *,
    result: Result | None = None,
    parents: Sequence[Entry] = (),
    token: Token | None = None,
) -> tuple[Entry, Record]:
    """Return an entry for an ingested result, and its record for the store. `parents`: the entries from
    which it was made, the main one first. Without `token`, draw a new one."""
    of_tool = {} if result is None else _of_tool(result)
    document, packed, sample = ingested.document, ingested.packed, ingested.sample
    media = media_in(sample.values) if document.shape == "members" else None
    head = Head(
        **_common_fields(call, context, parents),
        shape=document.shape,
        prefix=document.prefix,
        suffix=document.suffix,
        list_path=document.list_path,
        count=packed.count,
        size=ingested.size,
        preview=media.told if media else sample.preview(document, context.policy.preview),
        media_type=media.mime_type if media else "",
        columns=sample.column_types() if document.shape == "rows" else {},
        further_columns=len(sample.further) if document.shape == "rows" else 0,
        outline=sample.outline(document, packed.count),
        has_tables=sample.has_tables(document),
        uniform=sample.uniform(document),
        format=document.format,
        reading=document.reading,
        contents=document.contents,
        joint=document.joint,
        samples=sample.samples() if formats.has_free_cells(document.format) else {},
        is_said_twice=document.is_said_twice,
        has_text_blocks=document.has_text_blocks,
        wrapped=document.wrapped,
        wrapper=document.wrapper,
        notices=(*document.all_notices, *_notices_of_columns(sample, document)),
        asides=document.asides,
        **of_tool,
    )
    whole = with_members(Reply(frame=call.reading_frame), head)
    head = msgspec.structs.replace(head, wire_size=ingested.wire_size(whole))
    entry = _entry(call, context, head, packed.index, packed.chunks)
    entry = entry if token is None else msgspec.structs.replace(entry, token=token)
    return entry, _record(call, entry, packed.chunks)


def _notices_of_columns(sample: Sample, document: Document) -> tuple[str, ...]:
    over = sample.sql_columns(document) - SQL_COLUMNS
    if over <= 0:
        return ()
    return (f"SQL has the first {SQL_COLUMNS:,} columns; the other {over:,} are JSON in _rest.",)


def live_entry(
    call: Call, context: Context, rows: LiveRows, columns: dict[str, str]
) -> tuple[Entry, Record]:
    """Return an entry for a live list: its rows stay at their source, and are read when needed."""
    source = Live(encode(rows.reference), rows.data_size, rows.estimated, rows.refuses_part)
    head = Head(
        **_common_fields(call, context),
        source=source,
        prefix=b"[",
        suffix=b"]",
        count=rows.count,
        size=rows.data_size,
        wire_size=rows.data_size,
        columns=columns,
    )
    entry = _entry(call, context, head)
    return entry, _record(call, entry)


def alias_entry(call: Call, context: Context, target: Entry, alias: Alias) -> tuple[Entry, Record]:
    """Return an entry that stands for a part of `target`, and lives at most as long as `target`."""
    head = msgspec.structs.replace(
        target.head,
        source=alias,
        created=context.now,
        sliding=target.head.sliding and not alias.is_handle,
        parents=(*target.head.parents, alias.key),
    )
    entry = _entry(call, context, head)
    return entry, _record(call, entry)


def _common_fields(call: Call, context: Context, parents: Sequence[Entry] = ()) -> dict[str, Any]:
    fields = {
        "tool": call.tool,
        "server": call.server,
        "server_name": call.server_name,
        "owner": owner_of(call.principal, call.server),
        "mark": call.principal.mark,
        "arguments": digests(schema.strip_arguments(call.arguments, call.schema)[0]),
        "origin": b"" if call.origin is None else encode(call.origin),
        "created": context.now,
        "sliding": not call.principal.is_bearer,
    }
    if not parents:
        return fields
    head = parents[0].head
    inherited = {
        "tool": head.tool,
        "server_name": head.server_name,
        "arguments": head.arguments,
        "origin": head.origin,
    }
    return {**fields, **inherited, "parents": lineage(parents)}


def lineage(parents: Sequence[Entry]) -> tuple[str, ...]:
    """Return the keys of these entries, and of all entries from which they were made, each once. The
    last one of a single entry is the entry itself."""
    keys = (key for entry in parents for key in (*entry.head.parents, entry.key))
    return tuple(dict.fromkeys(keys))


def _entry(
    call: Call, context: Context, head: Head, index: bytes = b"", chunks: tuple[bytes, ...] = ()
) -> Entry:
    token = Token(context.random(SECRET_BYTES))
    expires = context.now + context.life(call)
    return Entry(token, head, index, expires, dict(enumerate(chunks)))


def _record(call: Call, entry: Entry, chunks: tuple[bytes, ...] = ()) -> Record:
    head = msgspec.msgpack.encode(entry.head)
    return Record(
        owner=entry.head.owner,
        expires=entry.expires,
        head=head,
        index=entry.index,
        chunks=chunks,
        account=account_of(call),
        parents=entry.head.parents,
    )


def account_of(call: Call) -> Account:
    """Return the account that pays for what a call stores. Callers who are not known share an owner, so
    that a token works for each of them, but not an account."""
    party = call.party or call.principal.id
    is_anonymous = not party or party.startswith(ANONYMOUS_PARTIES)
    return Account(owner_of(Principal(party), call.server), is_anonymous)


def owner_of(principal: Principal, server: str) -> str:
    """Return a digest that only this principal has on this server."""
    identity = encode([principal.id, server])
    return hashlib.sha256(identity).hexdigest()


def digests(arguments: Mapping[str, Any]) -> dict[str, bytes]:
    """Return a digest of each argument: it reveals a change, so the argument need not be stored."""
    return {
        name: hashlib.sha256(_canonical(value)).digest()[:_DIGEST_BYTES]
        for name, value in arguments.items()
    }


def _canonical(value: Any) -> bytes:
    """Return the same bytes for equal values, whatever the order of their keys."""
    encoded = encode(value)
    if b"{" not in encoded:
        return encoded
    try:
        return msgspec.json.encode(rawjson.decode(encoded), order="sorted")
    except (ValueError, RecursionError):  # undecodable: the order of the keys then counts
        return encoded


def kept_meta(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `_meta` that a probe keeps: members that are about the message. These are those
    whose names MCP reserves, and the counts of what was left out or replaced."""
    return {name: value for name, value in meta.items() if name.startswith(_ABOUT_MESSAGE)}


def _of_tool(result: Result) -> dict[str, Any]:
    """Return the fields of a head for what a result has besides its value. Mode `full` returns all
    of it, but not the `_meta` that a probe keeps."""
    kept = kept_meta(result.meta)
    meta = {name: value for name, value in result.meta.items() if name not in kept}
    return {
        "is_error": result.is_error,
        "meta": encode(meta) if meta else b"",
        "members": encode(result.members) if result.members else b"",
    }


# -- opening -----------------------------------------------------------------------------------


class Opened(msgspec.Struct, frozen=True):
    """An entry that the caller may read, and where its token points."""

    entry: Entry
    position: Position
    root: str = ""  # the path that an alias stands for
    is_alias: bool = False
    # The tools that gave the entry and those it was made from, each with its origin.
    sources: tuple[Source, ...] = ()


def open_entry(
    call: Call,
    context: Context,
    token: Token | None,
    *,
    rows: tuple[int, int] | None = None,
    as_handle: bool = False,
) -> Steps[Opened | Denied]:
    """Return the entry of a token, if the caller may read it.

    The entry must belong to this principal and server and, unless the reader asks, to this tool. The
    caller must still be allowed to use the tool. `rows` are loaded with the entry. `as_handle`: the
    token comes from a resource link. `token` is None for a text that is not a token: the refusal is the same.
    """
    if token is None:
        return NOT_A_TOKEN
    entry = yield from load_entry(token, token.key, context, rows)
    if isinstance(entry, Denied):
        return entry
    denied = yield from _refused(call, [entry.head])
    if denied is not None:
        return denied
    return (yield from _opened(call, context, entry, as_handle=as_handle))


def _refused(call: Call, heads: Sequence[Head], known: Head | None = None) -> Steps[Denied | None]:
    """Refuse entries that are not this caller's, or that come from a tool that the caller may no
    longer use. `known`: a head that was checked already. What was made from one entry has the same
    tool and origin, so that mostly one question is enough."""
    asked = set() if known is None else {(known.tool, known.origin)}
    for head in heads:
        denied = _mismatch(call, head)
        if denied is not None:
            return denied
        if (head.tool, head.origin) in asked:
            continue
        asked.add((head.tool, head.origin))
        for tool, origin in sources_in(head.tool, _origin(head)):
            if not (yield Authorize(tool, origin)):
                return Denied("the source tool is no longer permitted")
    return None


def _opened(
    call: Call, context: Context, entry: Entry, *, as_handle: bool
) -> Steps[Opened | Denied]:
    position = entry.token.place
    if position is None:
        return Denied("unreadable position")
    # A new sort order replaces the last one under the same secret. The prefix says which sort order
    # this entry holds: see `core.browsing.order`.
    if position.edition.encode() not in entry.head.prefix:
        return Denied("replaced by a later sort order")
    alias = entry.head.source if isinstance(entry.head.source, Alias) else None
    if (alias is not None and alias.is_handle) != as_handle:
        return Denied("a handle was given as a token, or a token as a handle")
    target = entry
    parents: list[Entry] = []
    for key in entry.head.parents:
        parent = yield from load_entry(entry.token, key, context, None)
        if isinstance(parent, Denied):
            return Denied("its parent is gone")
        parents.append(parent)
        if alias is not None and key == alias.key:
            target = parent
    # A join has parents of several tools.
    denied = yield from _refused(call, [parent.head for parent in parents], known=entry.head)
    if denied is not None:
        return denied
    for parent in parents:
        yield from _keep_alive(parent, parent.key, context)
    yield from _keep_alive(entry, entry.key, context)
    heads = (entry.head, *(parent.head for parent in parents))
    sources = tuple(source for head in heads for source in sources_in(head.tool, _origin(head)))
    if alias is None:
        return Opened(entry, position, sources=sources)
    stands_for = Position.unpack(alias.position) if alias.position else Position()
    merged = msgspec.structs.replace(
        position, mode=stands_for.mode, filter_keys=stands_for.filter_keys
    )
    opened = msgspec.structs.replace(target, token=entry.token)
    return Opened(opened, merged, alias.root, is_alias=True, sources=sources)


def copy_token(live: Entry) -> Token:
    """Return the token of a live list's copy. Views that need every row read the copy."""
    return live.token.derived(f"copy of {live.key}")


def load_copy(live: Entry, count: int, context: Context) -> Steps[Entry | None]:
    """Return an existing copy if it is at most a minute old and the list has the same length."""
    token = copy_token(live)
    found = yield from load_entry(token, token.key, context, None)
    if isinstance(found, Denied) or found.head.created < context.now - COPY_SECONDS:
        return None
    is_as_long = found.head.count == min(count, context.policy.query_rows)
    return found if is_as_long and found.head.owner == live.head.owner else None


def load_entry(
    token: Token, key: str, context: Context, rows: tuple[int, int] | None = None
) -> Steps[Entry | Denied]:
    """Load an entry by its key in the store. The owner is not checked."""
    try:
        loaded: Loaded | None = yield LoadHead(key, rows)
    except EntryCorrupt as error:
        return Denied(f"damaged: {error.message}")  # nobody can tell any more whose entry it was
    if loaded is None:
        return UNKNOWN
    if loaded.expires <= context.now:
        return EXPIRED
    head = read_head(loaded.head)
    if isinstance(head, Denied):
        return head
    if head.created > context.now + CLOCK_SKEW:
        return FROM_THE_FUTURE
    return Entry(token, head, loaded.index, loaded.expires, loaded.chunks, key)


def read_head(packed: bytes) -> Head | Denied:
    """Return the head of a result as a store keeps it."""
    try:
        head = _HEAD.decode(packed)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        return Denied(f"damaged head: {error}")
    return head if head.version <= HEAD_VERSION else Denied("written by a newer version")


def _mismatch(call: Call, head: Head) -> Denied | None:
    if head.owner != owner_of(call.principal, call.server):
        return Denied("another principal or server")
    if head.tool != call.tool and not call.is_reader:
        return Denied("another tool")
    return None


def _origin(head: Head) -> Any:
    return rawjson.decode(head.origin) if head.origin else None


def _keep_alive(entry: Entry, key: str, context: Context) -> Steps[None]:
    """Extend the life of an entry that is read, up to `max_ttl`. Write only if less than half of the
    life is left: a write for every read would double the cost."""
    life = context.policy.ttl
    if not entry.head.sliding or entry.expires - context.now > life / 2:
        return
    expires = min(context.now + life, entry.head.created + context.policy.max_ttl)
    if expires > entry.expires:
        with suppress(StoreError):  # the entry can still be read now
            yield Touch(key, expires)
