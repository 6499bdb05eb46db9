"""Continuation tokens.

    pen_<secret>                    the start of a result
    pen_<secret>.<position>.<mac>   a place in it

The secret is 128 random bits, written as 39 decimal digits: a model reads three digits as one token
of its vocabulary, but nearly every letter of base64 as one. The store knows only the secret's
digest. The mac is an HMAC of the position, keyed by the secret, so server processes need not share a
key. A token with one changed character is not a token.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from penstock.core.model.values import Mode, RowForm

PREFIX = "pen_"
SECRET_BYTES = 16
_DIGITS = 39  # of the largest number in `SECRET_BYTES`
_MAC_BYTES = 9
_LONGEST = 2_000
_SECRET = re.compile(r"(?=(\d{39}))", re.ASCII)  # also in more digits
_TEXT = re.compile(r"pen_(\d{39})(?:\.([\w-]+)\.([\w-]{12}))?", re.ASCII)


class Position(msgspec.Struct, frozen=True, array_like=True):
    """A place in a result and the view of it: defaults for the fields that a call leaves out."""

    row: int = 0
    page_size: int = 0
    offset: int = 0  # the character in the row, if the row is shown in windows
    row_form: str = ""  # the form of the rows, if the settings would give another
    mode: str = "paginated"
    path: str = ""
    filter_keys: tuple[str, ...] = ()
    edition: str = ""  # the content that is meant, if several share one secret one after the other

    def pack(self) -> bytes:
        """Return the shortest form, without trailing default values."""
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
_ROW_FORMS = frozenset({"", *(form.value for form in RowForm)})


class Token(msgspec.Struct, frozen=True):
    """The secret of a result, and a place in the result."""

    secret: bytes
    position: bytes = b""

    @property
    def key(self) -> str:
        """The key of the result in the store."""
        return hashlib.sha256(self.secret).hexdigest()

    @property
    def place(self) -> Position | None:
        """The place that the token points to, or None if Penstock never gave out such a position: a
        caller that holds the secret can make up any position, with its mac."""
        try:
            place = Position.unpack(self.position) if self.position else _START
        except (msgspec.DecodeError, msgspec.ValidationError):
            return None
        is_view = place.mode in _MODES and place.row_form in _ROW_FORMS
        sound = min(place.row, place.page_size, place.offset) >= 0 and is_view
        return place if sound else None

    def at(self, position: bytes) -> Token:
        return Token(self.secret, position)

    def derived(self, name: str) -> Token:
        """Return a related token, which only a holder of this token can compute."""
        return Token(hmac.digest(self.secret, name.encode(), "sha256")[:SECRET_BYTES])

    def __str__(self) -> str:
        text = PREFIX + str(int.from_bytes(self.secret)).zfill(_DIGITS)
        if not self.position:
            return text
        return f"{text}.{_b64(self.position)}.{_mac(self.secret, self.position)}"


def tokens_in(text: str) -> list[str]:
    """Return the token of each secret that a text may hold."""
    return [PREFIX + digits for digits in _SECRET.findall(text)]


def parse(text: str) -> Token | None:
    """Return the token that has exactly this text, or None."""
    match = _TEXT.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    try:
        token = Token(int(match[1]).to_bytes(SECRET_BYTES), _unb64(match[2] or ""))
    except (OverflowError, ValueError):  # 39 digits can be above the largest number of 128 bits
        return None
    # This one comparison checks the mac, and refuses other spellings that decode to the same bytes.
    return token if hmac.compare_digest(str(token), text) else None


def _mac(secret: bytes, position: bytes) -> str:
    return _b64(hmac.digest(secret, position, "sha256")[:_MAC_BYTES])


def _b64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _unb64(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
