"""Times that are numbers: seconds or milliseconds since 1970.

The pages and the charts of the explorer both ask here, so that a column is a time on both or on
neither. A number alone says too little, because sizes and ids are as large. So the name of the
column must speak of time too.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

EpochUnit = Literal["seconds", "milliseconds"]


class TimesIn(NamedTuple):
    """The numbers that are times in one unit. The spans of two units do not overlap."""

    first: float
    last: float


# From 1980 to 2099. (Positions in a genome end below the seconds of 1980.)
_FIRST: Final = 315_532_800
_LAST: Final = 4_102_444_799
TIMES_IN: Final[dict[EpochUnit, TimesIn]] = {
    "seconds": TimesIn(_FIRST, _LAST + 1),
    "milliseconds": TimesIn(_FIRST * 1_000, (_LAST + 1) * 1_000),
}
MOSTLY: Final = 0.9  # of the numbers in a column of times
PER_SECOND: Final[dict[EpochUnit, int]] = {"seconds": 1, "milliseconds": 1_000}
_LIST_OF_WORDS: Final = (
    "accessed arrival arrived at atime birthtime btime closed created crtime ctime date datetime "
    "deadline deleted departed departure dt due ended epoch expires expiry expiration finished "
    "fetched iat joined logged login modified mtime nbf observed occurred opened posted published "
    "received recorded registered resolved scheduled seen sent stamp started submitted sunrise "
    "sunset time times timestamp timestamps ts unix unixtime update updated utc when"
)
_WORDS: Final = frozenset(_LIST_OF_WORDS.split())
# Amounts and names are often as large: `bytes_sent`, `amount_due`, `created_by`.
_OTHER_WORDS: Final = frozenset(
    [
        "amount",
        "amounts",
        "balance",
        "by",
        "byte",
        "bytes",
        "cost",
        "count",
        "fee",
        "id",
        "ids",
        "kb",
        "mb",
        "octets",
        "packets",
        "price",
        "quantity",
        "size",
        "sum",
        "total",
        "volume",
    ]
)
# A name that ends so is one for times, whatever it is the time of: `price_updated_at`.
_LAST_WORDS: Final = frozenset(["at", "date", "datetime", "epoch", "on", "time", "timestamp", "ts"])
_EPOCH_TEXT: Final = re.compile(r"\d{9,13}(?:\.\d+)?", re.ASCII)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def epoch_unit(column: str, number: float) -> EpochUnit | None:
    """Return the unit if a number in this column is a time, else None."""
    return unit_of(number) if speaks_of_time(column) else None


def unit_of(number: float) -> EpochUnit | None:
    """Return the unit in which a number would be a time of our days, or None."""
    return next((unit for unit, span in TIMES_IN.items() if span.first <= number < span.last), None)


def is_epoch_text(text: str) -> bool:
    """Return whether a text is written like a number of seconds or milliseconds since 1970. The
    messages of chat programs have such texts."""
    return _EPOCH_TEXT.fullmatch(text) is not None


def speaks_of_time(column: str) -> bool:
    """Return whether a word of the name is one for times: `createdAt`, `last_seen`, `ts`. Beside a
    word for amounts or names, the last word must be sure."""
    words = [word.lower() for word in _WORD.findall(column)]
    if _WORDS.isdisjoint(words):
        return False
    return words[-1] in _LAST_WORDS or _OTHER_WORDS.isdisjoint(words)
