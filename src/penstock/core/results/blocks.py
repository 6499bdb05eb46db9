"""The value of an MCP result, and the content blocks that go beside it.

    the result has                 its value is
    structuredContent              structuredContent; of {"result": x}, as frameworks wrap it, x; of
                                   an object with one text, which is also the text block, the text.
                                   If a text block is the same in JSON, spelled otherwise, it is kept
    one text block                 the text; the data in it, if it has a format
    several blocks                 a list of their values

Images, audio and blocks for the user alone go beside the reply, up to the cap; larger ones become
part of the list. Members of a block that are not in its value, such as `annotations`, are kept as
asides. A block that says more than structuredContent goes beside the reply if it is small. If it is large, it is
stored with structuredContent. So nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from penstock.core.budget.budget import Budget
from penstock.core.budget.host_members import HOST_MEMBERS_CAP
from penstock.core.json import rawjson
from penstock.core.json.encoding import Fallback, encode, opened
from penstock.core.model.reply import HOST_MEMBERS, MEDIA_TYPES, counted, is_for_user
from penstock.core.model.stored import Aside, Wrapped
from penstock.core.model.values import ABSENT, Result
from penstock.core.results.decoding import value_of_block
from penstock.core.results.document import (
    TOO_DEEP,
    Document,
    compact_raw,
    is_json_container,
    read_json,
    read_text,
    read_text_with_data,
    read_value,
)
from penstock.core.results.formats.cut import grouped
from penstock.core.results.packing import quoted_size

Block = Mapping[str, Any]

# The bytes that blocks beside a reply may take, without the parts that have caps of their own.
LARGEST_BESIDE = 200
_WRAPPER = b'{"result":'
# One spelling of a value may be so many times longer than another: 1e308 has 309 digits. Without
# this bound, each of a thousand blocks would be compared with the decoded whole.
_LONGER_SPELLING = 64
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_APART = "Content beside structuredContent is kept under /content."


def document_of(result: Result, *, media_cap: int, hidden_room: Budget | None = None) -> Document:
    """Return the document of a tool's result, by the table above. `hidden_room`: the room beside the
    reply for blocks that the host keeps from the model, if it does that."""
    beside, blocks = apart(result.content, media_cap, hidden_room)
    if result.structured is not ABSENT:
        return _read_structured_and(blocks, result, beside)
    values, asides = block_parts(blocks)
    if len(blocks) == 1:
        return replace(_read_block(values[0]), beside=beside, asides=asides)
    return replace(_read_blocks(values), beside=beside, asides=asides)


def document_as_text(
    result: Result, *, media_cap: int, hidden_room: Budget | None = None
) -> Document:
    """Return the document of a result as text, for a value that nests too deep to be walked."""
    media, blocks = apart(result.content, media_cap, hidden_room)
    parts, asides = block_parts(blocks)
    values = [block["text"] if _is_plain_value(block) else dict(block) for block in parts]
    value: Any = values[0] if len(values) == 1 else values
    if result.structured is not ABSENT:
        as_json = rawjson.text(encode(opened(result.structured), fallback=result.fallback))
        others = [one for one in values if one != as_json]
        both = {"structuredContent": msgspec.Raw(as_json.encode()), "content": others}
        value = both if others else as_json
    if isinstance(value, str):
        text = value
    else:
        text = rawjson.text(encode(opened(value), fallback=result.fallback))
    return replace(read_text(text), beside=media, notices=(TOO_DEEP,), asides=asides)


# -- images and audio --------------------------------------------------------------------------


def apart(
    content: Sequence[Block], media_cap: int, hidden_room: Budget | None = None
) -> tuple[tuple[Block, ...], list[Block]]:
    """Return the blocks that go beside the reply, and all other blocks. Images, audio and blocks for
    the user alone go beside it, as far as there is room."""
    beside: list[Block] = []
    rest: list[Block] = []
    hidden: list[Block] = []
    data = 0
    texts = [block for block in content if block.get("type") not in MEDIA_TYPES]
    is_all_for_user = all(map(is_for_user, texts))
    for block in content:
        is_media = block.get("type") in MEDIA_TYPES
        data += len(str(block.get("data", ""))) if is_media else 0
        if hidden_room is not None and is_for_user(block) and not is_all_for_user:
            fits, group = _is_within([*hidden, block], hidden_room), hidden
        elif is_media or (is_for_user(block) and not is_all_for_user):
            fits, group = _is_small_beside([*beside, block]), beside
        else:
            fits, group = False, rest
        (group if fits and data <= media_cap else rest).append(block)
    return (*beside, *hidden), rest


def _is_within(blocks: Sequence[Block], budget: Budget) -> bool:
    return budget.surely_admits(len(encode([counted(block) for block in blocks])))


def _is_small_beside(blocks: Sequence[Block]) -> bool:
    """Return whether blocks leave room for a reply under any budget. The smallest has one line."""
    together = encode([counted(block) for block in blocks])
    return len(together) <= LARGEST_BESIDE + len("[]") and b"\\n" not in together


def has_large_media(result: Result, media_cap: int) -> bool:
    """Return whether an image or audio is too large to go beside the reply."""
    return any(block.get("type") in MEDIA_TYPES for block in apart(result.content, media_cap)[1])


# -- structured content ------------------------------------------------------------------------


def repeated_places(result: Result) -> tuple[int, ...]:
    """Return the places of the content blocks that the structured content repeats."""
    texts = [block for block in result.content if block.get("type") not in MEDIA_TYPES]
    if result.structured is ABSENT or not texts:
        return ()
    try:
        others = _blocks_beside(texts, result)
    except rawjson.TooDeep:
        return ()  # counted as two different things, which is never too little
    own = {id(block) for block in others}
    return tuple(
        place
        for place, block in enumerate(result.content)
        if block.get("type") not in MEDIA_TYPES and id(block) not in own
    )


def _blocks_beside(blocks: Sequence[Block], result: Result) -> list[Block]:
    """Return the blocks that say more than the structured content."""
    structured = result.structured
    if _text_said_twice(blocks, structured) is not None:
        return []
    is_raw = isinstance(structured, msgspec.Raw)
    data = compact_raw(structured) if is_raw else encode(structured, fallback=result.fallback)
    return _not_said_again(blocks, data)


def _read_structured_and(
    blocks: Sequence[Block], result: Result, media: tuple[Block, ...]
) -> Document:
    structured, fallback = result.structured, result.fallback
    said_twice = _text_said_twice(blocks, structured)
    if said_twice is not None:
        key, text = said_twice
        _, asides = block_parts(blocks)
        return replace(_unwrapped(text), wrapper=key, beside=media, asides=asides)
    data = compact_raw(structured) if isinstance(structured, msgspec.Raw) else b""
    whole = data or encode(structured, fallback=fallback) if blocks else b""
    spelled = _spelled_otherwise(blocks, whole)
    if spelled is not None:
        _, asides = block_parts(blocks)
        return replace(spelled, beside=media, asides=asides)
    others = _not_said_again(blocks, whole) if blocks else []
    beside = (*media, *others)
    if _is_small_beside(beside):
        document = _read_structured_json(data) if data else _read_structured(structured, fallback)
        _, asides = block_parts([] if others else blocks)
        return replace(document, beside=beside, asides=asides)
    parted = [_without_host_members(block) for block in others]
    both = {"structuredContent": structured, "content": [block for block, _ in parted]}
    asides = _asides(
        [(f"/content/{n}{at}", kept) for n, (_, each) in enumerate(parted) for at, kept in each],
        is_text=False,
    )
    return replace(read_value(both, fallback), beside=media, notices=(_APART,), asides=asides)


def _text_said_twice(blocks: Sequence[Block], structured: Any) -> tuple[str, str] | None:
    """Return the key and the text if the one text block is also the only member of the object. The
    value of such a result is the text, whatever the key."""
    if len(blocks) != 1 or not _is_plain_text(blocks[0]):
        return None
    members = structured
    if isinstance(structured, msgspec.Raw):
        try:
            members = _MEMBERS.decode(structured)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
    if type(members) is not dict or len(members) != 1:
        return None
    ((key, value),) = members.items()
    if isinstance(value, msgspec.Raw):
        raw = bytes(value)
        value = rawjson.decode(raw) if raw.startswith(b'"') else None
    return (key, value) if value == blocks[0]["text"] else None


def _spelled_otherwise(blocks: Sequence[Block], whole: bytes) -> Document | None:
    """Return the document of the one text block, if it is the structured content in JSON, in another
    spelling. So the text is kept, and the value is the same."""
    if len(blocks) != 1 or not _is_plain_text(blocks[0]):
        return None
    is_wrapped = _is_wrapped(whole)
    inner = whole[len(_WRAPPER) : -1] if is_wrapped else whole
    text = blocks[0]["text"]
    if rawjson.utf8(text) == inner or not is_json_container(text) or not _says(blocks[0], inner):
        return None
    document = read_text_with_data(text)
    wrapped: Wrapped = "value" if is_wrapped else ""
    size = len(rawjson.compact(rawjson.utf8(text)))
    return replace(document, wrapped=wrapped, is_said_twice=True, value_size=size)


def _not_said_again(blocks: Sequence[Block], whole: bytes) -> list[Block]:
    """Return the blocks that do not just repeat the structured content.

    Frameworks send a value as text too: the whole in one block, or one block for each list item.
    """
    inner = whole[len(_WRAPPER) : -1] if _is_wrapped(whole) else whole
    if inner[:1] == b"[" and len(blocks) > 1:
        items = [row for rows in rawjson.row_blocks(inner) for row in rows]
        if len(items) == len(blocks) and all(map(_says, blocks, items)):
            return []
    return [block for block in blocks if not _says(block, whole, inner)]


def _says(block: Block, *values: bytes) -> bool:
    """Return whether a text block is one of these values: the string itself, or its JSON."""
    if not _is_plain_text(block):
        return False
    text = block["text"]
    if any(value[:1] == b'"' and rawjson.decode(value) == text for value in values):
        return True
    try:
        compacted = rawjson.compact(rawjson.utf8(text))
    except (rawjson.NotJson, rawjson.TooDeep):
        return False
    # Compare bytes first: decoded, ten megabytes take more than a hundred.
    return compacted in values or any(_is_same(compacted, value) for value in values)


def _is_same(one: bytes, other: bytes) -> bool:
    """Return whether two values are equal, whatever the order of keys and the spelling. True is not
    1, and 1 is not 1.0."""
    if one[:1] != other[:1] or len(other) > _LONGER_SPELLING * (len(one) + 1):
        return False
    # Not by msgspec, which writes no half of a surrogate pair.
    values = map(rawjson.decode, (one, other))
    return len({json.dumps(value, sort_keys=True) for value in values}) == 1


def _read_structured_json(data: bytes) -> Document:
    """Return the document of structured content. Of a wrapped {"result": x}, the value is x."""
    if not _is_wrapped(data):
        return read_json(data)
    if data[len(_WRAPPER) : len(_WRAPPER) + 1] == b'"':
        return _unwrapped(rawjson.decode(data[len(_WRAPPER) : -1]))
    return replace(read_json(data, len(_WRAPPER), len(data) - 1), wrapped="value")


def _read_structured(value: Any, fallback: Fallback | None) -> Document:
    if type(value) is dict and list(value) == ["result"] and not isinstance(value["result"], dict):
        return _unwrapped(value["result"], fallback)
    return read_value(value, fallback)


def _unwrapped(value: Any, fallback: Fallback | None = None) -> Document:
    document = read_value(value, fallback)
    is_json_text = isinstance(value, str) and document.shape != "lines"
    return replace(document, wrapped="text" if is_json_text else "value")


def _is_wrapped(data: bytes) -> bool:
    if not data.startswith(_WRAPPER) or data[len(_WRAPPER) : len(_WRAPPER) + 1] == b"{":
        return False
    return len(rawjson.member_spans(data)) == 1


# -- blocks ------------------------------------------------------------------------------------


def block_parts(blocks: Sequence[Block]) -> tuple[list[Block], tuple[Aside, ...]]:
    """Return the blocks as their values are read, and the members that are not in the values.

    A text block with many members besides its text stays an object: then they are in its value.
    """
    values: list[Block] = []
    asides: list[Aside] = []
    room = HOST_MEMBERS_CAP
    for place, block in enumerate(blocks):
        at = f"/{place}" if len(blocks) > 1 else ""
        others = {name: value for name, value in block.items() if name not in ("type", "text")}
        needed = len(encode(others)) if others else 0
        if _is_plain_text(block) and needed <= room and _is_small_beside([others]):
            room -= needed
            values.append({"type": "text", "text": block["text"]})
            asides += _asides([(at, others)] if others else [], is_text=True)
        else:
            value, kept = _without_host_members(block)
            values.append(value)
            asides += _asides([(at + below, members) for below, members in kept], is_text=False)
    return values, tuple(asides)


def _asides(found: Sequence[tuple[str, Block]], *, is_text: bool) -> tuple[Aside, ...]:
    return tuple(Aside(path, encode(members), is_text) for path, members in found)


def _without_host_members(block: Block) -> tuple[Block, list[tuple[str, Block]]]:
    """Return a block without `_meta` and icons, and these by the path of the object that had them."""
    kept: dict[str, Any] = {}
    found: list[tuple[str, Block]] = []
    own = {name: value for name, value in block.items() if name in HOST_MEMBERS}
    for name, value in block.items():
        if name == "resource" and isinstance(value, Mapping):
            inner, below = _without_host_members(value)
            kept[name] = inner
            found += [("/resource" + path, members) for path, members in below]
        elif name not in own:
            kept[name] = value
    return kept, [*([("", own)] if own else []), *found]


def _read_block(block: Block) -> Document:
    if _is_plain_value(block):
        return read_text_with_data(str(block["text"]))
    return read_value(dict(block))


def _read_blocks(blocks: Sequence[Block]) -> Document:
    """Return the document of several blocks. A text with one value is kept as the text, and read as
    the value."""
    texts = [str(block["text"]) if _is_plain_value(block) else dict(block) for block in blocks]
    document = read_value(texts)
    kept = [row for rows in document.blocks for row in rows]
    read = [*map(value_of_block, kept)]
    values = [block.value for block in read]
    document = replace(document, blocks=grouped(kept))
    if values == kept:
        return document
    whole = document.prefix + document.joint.join(values) + document.suffix
    return replace(
        document,
        has_text_blocks=True,
        value_size=len(whole),
        value_quoted=quoted_size(whole),
        notices=tuple({notice: None for block in read for notice in block.notices}),
    )


def _is_plain_value(block: Block) -> bool:
    """Return whether the value of a block is its text, with nothing else beside it."""
    return _is_plain_text(block) and len(block) == len(("type", "text"))


def _is_plain_text(block: Block) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)
