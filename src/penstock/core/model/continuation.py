"""Continuation tokens.

    pen_<secret>                    the start of a result
    pen_<secret>.<position>.<mac>   a place in it

The secret is 144 random bits; the store knows only its digest. The mac is an HMAC of the position
keyed by the secret, so that no key has to be shared between workers, and a token with any
character changed is no token.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from penstock.core.model.values import Mode

PREFIX = "pen_"
SECRET_BYTES = 18  # a multiple of 3: base64 has no spare bits that could be changed unnoticed
_MAC_BYTES = 9
_LONGEST = 2_000
_TEXT = re.compile(r"pen_([\w-]{24})(?:\.([\w-]+)\.([\w-]{12}))?", re.ASCII)


class Position(msgspec.Struct, frozen=True, array_like=True):
    """A place in a result, and how it is looked at: all that a call leaves out.

    `offset` is a character inside the row at `row`, where a row is shown in windows. `edition`: which
    of the contents that stand under one secret in turn, so that another is not taken for it.
    """

    row: int = 0
    page_size: int = 0
    offset: int = 0
    mode: str = "paginated"
    path: str = ""
    filter_keys: tuple[str, ...] = ()
    edition: str = ""

    def pack(self) -> bytes:
        """As short as can be: trailing defaults are left out."""
        values = list(msgspec.structs.astuple(self))
        defaults = list(msgspec.structs.astuple(_START))
        while values and values[-1] == defaults[len(values) - 1]:
            values.pop()
        return msgspec.msgpack.encode(values)

    @classmethod
    def unpack(cls, data: bytes) -> Position:
        return msgspec.msgpack.decode(data, type=cls)


_START = Position()
_MODES = frozenset(mode.value for mode in Mode)


class Token(msgspec.Struct, frozen=True):
    """A result's secret, and a place in the result."""

    secret: bytes
    position: bytes = b""

    @property
    def key(self) -> str:
        """What the store knows the result by."""
        return hashlib.sha256(self.secret).hexdigest()

    @property
    def place(self) -> Position | None:
        """Where it points. None for a position that was not minted: whoever holds the secret could
        make any, and its mac."""
        try:
            place = Position.unpack(self.position) if self.position else _START
        except (msgspec.DecodeError, msgspec.ValidationError):
            return None
        sound = min(place.row, place.page_size, place.offset) >= 0 and place.mode in _MODES
        return place if sound else None

    def at(self, position: bytes) -> Token:
        return Token(self.secret, position)

    def derived(self, name: str) -> Token:
        """Another that goes with it, and that only who has this one can know."""
        return Token(hmac.digest(self.secret, name.encode(), "sha256")[:SECRET_BYTES])

    def __str__(self) -> str:
        text = PREFIX + _b64(self.secret)
        if not self.position:
            return text
        return f"{text}.{_b64(self.position)}.{_mac(self.secret, self.position)}"


def parse(text: str) -> Token | None:
    """The token that was minted with this very text, if there can be one."""
    match = _TEXT.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    try:
        token = Token(_unb64(match[1]), _unb64(match[2] or ""))
    except ValueError:
        return None
    # One comparison covers the mac and every other spelling that decodes to the same bytes.
    return token if hmac.compare_digest(str(token), text) else None


def _mac(secret: bytes, position: bytes) -> str:
    return _b64(hmac.digest(secret, position, "sha256")[:_MAC_BYTES])


def _b64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _unb64(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
