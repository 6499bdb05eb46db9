"""The header of a table: whether its first record names the columns.

Names above a column of numbers are the surest sign. A table of words alone looks like a list of words,
so there its names must be plain and its records many.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

Fields = Sequence[str]

_WIDE: Final = 3  # columns
_MANY: Final = 20  # records
_FEWEST_SPACED: Final = 5  # records with two fields
_FEWEST_FILLED: Final = 2  # cells of a column of numbers
_LONGEST_NAME: Final = 1_000
_MOST_WORDS: Final = 4  # of a name, if words are all there is
_NUMBER: Final = re.compile(
    r"[-+]?[$€£]? ?(?:\d[\d.,']*|[.,]\d+)(?:[eE][-+]?\d+)? ?[%$€£]?|\d{1,3}(?: \d{3})+(?:,\d+)?"
)
_WRITTEN_NUMBER: Final = re.compile(
    r"\(?[-+]?[$€£]? ?(?:\d{1,3}(?:[.,' ]\d{3})+|\d*)(?:[.,]?\d+)(?:[eE][-+]?\d+)? ?[%$€£]?\)?"
)
_VALUE: Final = re.compile(_NUMBER.pattern + "|true|false", re.IGNORECASE)
_YEAR: Final = re.compile(r"1[5-9]\d\d|20\d\d")
_COUNT: Final = re.compile(r"\d{1,4}")
_DECIMAL: Final = re.compile(r"[-+]?\d*[.,]\d+")
_DIGIT: Final = re.compile(r"\d")
_PLAIN_NAME: Final = re.compile(r"[^\W\d][\w ./()%#-]*(?<![.])")
# Words joined as programs join them, which no sentence has.
_JOINED_NAME: Final = re.compile(r"[^\W\d]+_\w+|[a-z]+[A-Z]\w*")
_COMMON_NAMES: Final = frozenset(
    ("id", "name", "title", "type", "status", "state", "date", "time", "code", "key", "value", "label",
     "description", "category", "country", "city", "email", "url", "text", "comment", "note", "notes")
)  # fmt: skip
_MISSING: Final = frozenset(
    ("", "-", "--", ".", "..", "...", "?", "na", "n/a", "#n/a", "nan", "null", "none", "\\n")
)


def has_header(records: Sequence[Fields], separator: bytes) -> bool:
    """Return whether the first record names the columns."""
    names = records[0]
    others = [record for record in records if record != names]  # a header may come again
    if not others or not _may_be_names(names):
        return False
    columns = [*zip(*others, strict=True)]
    if len(separator) > 1 and not _are_spaced_names(names, len(others)):
        return False
    return _is_above_numbers(names, columns) or _is_above_words(names, columns, separator)


def may_have_header(records: Sequence[Fields]) -> bool:
    """Return whether the first record may name the columns, although it is not certain: its numbers
    are years, and those below are not."""
    names, columns = records[0], [*zip(*records[1:], strict=True)]
    pairs = [pair for pair in zip(names, columns, strict=True) if _NUMBER.fullmatch(pair[0])]
    are_years = bool(pairs) and all(_YEAR.fullmatch(name) for name, _ in pairs)
    return are_years and not all(all(map(_YEAR.fullmatch, column)) for _, column in pairs)


def has_numbers(records: Sequence[Fields]) -> bool:
    """Return whether one of the columns has a number in every record."""
    return any(all(map(_NUMBER.fullmatch, column)) for column in zip(*records, strict=True))


def looks_like_number(cell: str) -> bool:
    """Return whether people would read a cell as a number, in any notation. A date and the address of
    a network are none."""
    return _WRITTEN_NUMBER.fullmatch(cell) is not None


def _may_be_names(cells: Fields) -> bool:
    """Return whether some cells are filled, and none is as long as a page."""
    named = sum(map(bool, cells))
    return 4 * named > len(cells) and max(map(len, cells)) <= _LONGEST_NAME


def _are_spaced_names(names: Fields, records: int) -> bool:
    """Return whether names with a space after each separator are not the parts of a sentence."""
    is_long = len(names) >= _WIDE or records >= _FEWEST_SPACED
    return is_long and all(len(name.split()) < _WIDE and name[-1:] not in ".:!?" for name in names)


def _is_above_numbers(names: Fields, columns: Sequence[Fields]) -> bool:
    """Return whether a word is above a column of numbers, or years in a row are."""
    above = [name for name, column in zip(names, columns, strict=True) if _are_numbers(column)]
    words = sum(map(_is_word, above))
    decimals = sum(1 for name in above if _DECIMAL.fullmatch(name))
    if words > decimals:
        return True
    are_all_years = len(names) >= _WIDE and all(map(_YEAR.fullmatch, names))
    may_be_years = any(map(_is_word, names)) or are_all_years
    return bool(above) and may_be_years and _are_years(names, columns)


def _are_years(names: Fields, columns: Sequence[Fields]) -> bool:
    """Return whether years, or numbers from 0 or 1 on, are the names above all numbers."""
    pairs = [pair for pair in zip(names, columns, strict=True) if _COUNT.fullmatch(pair[0])]
    unnamed = (
        column for name, column in zip(names, columns, strict=True) if not _COUNT.fullmatch(name)
    )
    if (
        not pairs
        or any(map(_are_numbers, unnamed))
        or not all(_has_no_word(column) for _, column in pairs)
    ):
        return False
    counts = [int(name) for name, _ in pairs]
    if not all(_YEAR.fullmatch(name) for name, _ in pairs):
        is_counted = counts == [*range(counts[0], counts[0] + len(counts))]
        return is_counted and counts[0] in (0, 1) and len(counts) > _WIDE
    are_in_turn = len(counts) > 1 and counts == [*range(counts[0], counts[-1] + 1)]
    if len(counts) < _WIDE and not are_in_turn and not _are_few_years(names, pairs):
        return False
    is_rising = all(one < other for one, other in pairwise(counts))
    return is_rising and not any(all(map(_YEAR.fullmatch, column)) for _, column in pairs)


def _are_few_years(names: Fields, pairs: Sequence[tuple[str, Fields]]) -> bool:
    """Return whether one or two years are names, and not numbers like those below them."""
    are_decimals = all(any(map(_DECIMAL.fullmatch, column)) for _, column in pairs)
    others = [name for name in names if not _COUNT.fullmatch(name)]
    return are_decimals and len(pairs[0][1]) >= _MANY and all(map(_is_plain_name, others))


def _are_numbers(column: Fields) -> bool:
    """Return whether cells are numbers, or true and false, apart from missing ones."""
    filled = sum(1 for cell in column if cell.strip().lower() not in _MISSING)
    return filled >= min(_FEWEST_FILLED, len(column)) and _has_no_word(column)


def _has_no_word(column: Fields) -> bool:
    cells = map(str.strip, column)
    return all(_VALUE.fullmatch(cell) or cell.lower() in _MISSING for cell in cells)


def _is_word(name: str) -> bool:
    """Return whether a cell is neither a number nor a mark for a missing one."""
    has_letter = any(map(str.isalpha, name)) or name in ("#", "%", "№")
    return has_letter and name.lower() not in _MISSING and not _NUMBER.fullmatch(name)


def _is_above_words(names: Fields, columns: Sequence[Fields], separator: bytes) -> bool:
    """Return whether different plain names are above many records that have none of them."""
    if len(columns[0]) < _MANY or len(separator) > 1 or len({*names}) < len(names):
        return False
    if not all(map(_is_plain_name, names)):
        return False
    pairs = [*zip(names, columns, strict=True)]
    if any(name in column for name, column in pairs):
        return False
    return any(map(_is_joined_or_common, names)) or any(_is_above_codes(*pair) for pair in pairs)


def _is_plain_name(name: str) -> bool:
    return bool(_PLAIN_NAME.fullmatch(name)) and len(name.split()) <= _MOST_WORDS


def _is_joined_or_common(name: str) -> bool:
    return (
        not _COMMON_NAMES.isdisjoint(name.lower().split())
        or _JOINED_NAME.fullmatch(name) is not None
    )


def _is_above_codes(name: str, column: Fields) -> bool:
    """Return whether a name without digits is above cells that all have some, such as dates."""
    return not _DIGIT.search(name) and all(map(_DIGIT.search, column))
