"""Strategies that spoil good inputs: bytes, texts and JSON values."""

import json
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

# Bytes and characters at which parsers decide something.
_PIECES = (
    b"\0", b"\t", b"\r", b"\r\n", b"\n", b" ", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"%", b"%00",
    b"%2e%2e%2f", b"../", b"/", b"?", b"#", b"&", b"=", b";", b"-", b"-1", b"1e999", b"0x10", b"NaN", b"null",
    b"\\ud800", b"\\u0000", b"'", b"--", b"/*", b"*", b"(", b")", b"|", b".", b"..", b"$", b"@", b"~", b"\x7f",
    "é".encode(), "٣".encode(), "\u2028".encode(), "😀".encode(), b"9" * 40, b"A" * 300, b"[" * 200,
)  # fmt: skip
_NO_UTF8 = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x80", b"\xf8\x88")
_LEAVES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**40, "", " ", "x", "\0", "../../etc/passwd", "é", "\ud800", "9" * 400, [], {},
    [[]], {"": None}, ["x"] * 50, {"a": {"b": [1, {"c": None}]}}, "pen_" + "1" * 39, "@result:x",
)  # fmt: skip


@st.composite
def spoilt_bytes(draw: Any, given: bytes, *, is_utf8: bool = False) -> bytes:
    """Return bytes after a few edits. With `is_utf8`, they can be decoded."""
    pieces = st.sampled_from(_PIECES) if is_utf8 else st.sampled_from(_PIECES + _NO_UTF8)
    if not is_utf8:
        pieces |= st.binary(min_size=1, max_size=4)
    edited = given
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(edited)))
        stop = min(len(edited), start + draw(st.sampled_from((0, 0, 1, 1, 2, 5, 40))))
        match draw(st.sampled_from(("replace", "insert", "cut", "end", "repeat"))):
            case "replace":
                edited = edited[:start] + draw(pieces) + edited[stop:]
            case "insert":
                edited = edited[:start] + draw(pieces) + edited[start:]
            case "cut":
                edited = edited[:start] + edited[stop:]
            case "end":
                edited = edited[:start]
            case _:
                edited = edited[:stop] + edited[start:stop] * 3 + edited[stop:]
    return edited.decode("utf-8", "ignore").encode() if is_utf8 else edited


def spoilt_text(given: str) -> st.SearchStrategy[str]:
    return spoilt_bytes(given.encode("utf-8", "replace"), is_utf8=True).map(bytes.decode)


@st.composite
def spoilt_json(draw: Any, given: Any) -> Any:
    """Return a JSON value in which a few parts are replaced, dropped, renamed or repeated."""
    value = json.loads(json.dumps(given))
    for _ in range(draw(st.integers(1, 3))):
        value = _spoilt_once(draw, value)
    return value


def _spoilt_once(draw: Any, value: Any) -> Any:
    is_deeper = isinstance(value, dict | list) and value and draw(st.integers(0, 4)) > 0
    if not is_deeper:
        return deepcopy(draw(st.sampled_from(_LEAVES)))
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = draw(st.sampled_from(places))
    match draw(st.sampled_from(("inside", "inside", "inside", "drop", "rename", "repeat"))):
        case "inside":
            return _put(value, place, _spoilt_once(draw, value[place]))
        case "drop":
            del value[place]
            return value
        case "rename" if isinstance(value, dict):
            value[draw(st.sampled_from(("", "id", "method", "params", "result", "$ref", "é")))] = (
                value.pop(place)
            )
            return value
        case _:
            return [value, deepcopy(value)] if isinstance(value, dict) else [*value, value[place]]


def _put(value: Any, place: Any, part: Any) -> Any:
    value[place] = part
    return value
