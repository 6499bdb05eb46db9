"""A short directory of all names in a catalogue.

Names that begin alike are written together: `jira_(add_comment get_issue)` stands for
`jira_add_comment` and `jira_get_issue`. If not even so all names fit, counts tell how many names
begin with each word. So a model at least knows where to look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from penstock.core.budget.fitting import largest
from penstock.core.json.encoding import encode

# One word of a name with the signs behind it: list_, files., or the list of listFiles.
_WORD: Final = re.compile(r"[^_\-./:]+?(?:[_\-./:]+|(?<=[a-z0-9])(?=[A-Z])|$)")
_LEAST_GROUP: Final = 3
_LEAST_ENDING: Final = 20
# Levels of groups inside groups: three are harder to read, so they are used only for their room.
_DEPTHS: Final = (2, 3)
# A name with one of these could be read as something else, so it is written as a JSON text.
_UNCLEAR: Final = re.compile(r"[\s()\[\]\";,]")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_AFTER_GROUP: Final = re.compile(r"\)[^\s);]")

Fits = Callable[[str], bool]
# Sections of names by heading. The heading of the only section may be empty.
Sections = Mapping[str, Sequence[str]]


def directory(names: Sequence[str], fits: Fits) -> str:
    """Return all names, or else counts; nothing if not even a count fits."""
    everything = all_names({"": names}, lambda text: fits(_explained(text)))
    return _explained(everything) or counts(names, fits)


def all_names(sections: Sections, fits: Fits, details: Sequence[Mapping[str, str]] = ()) -> str:
    """Return the most detailed directory of all names that fits, or nothing.

    `details` are texts to show behind names, such as their parameters, the most wanted first.
    """
    spellings = [
        *(partial(_grouped, behind=behind, depth=_DEPTHS[0]) for behind in details),
        *(partial(_grouped, behind={}, depth=depth) for depth in _DEPTHS),
        *(partial(_grouped_by_ending, depth=depth) for depth in _DEPTHS),
    ]
    for written in spellings:
        if fits(everything := _joined(sections, written)):
            return everything
    return ""


def legend(names: str) -> str:
    """Return how to read a directory of all names."""
    bare = _QUOTED.sub("", names)
    parts = ["a_(b c) for a_b and a_c"] if "(" in bare else []
    if _AFTER_GROUP.search(bare):
        parts.append("(a b)_c for a_c and b_c")
    if "[" in bare:
        parts.append("parameters in []")
    return ", ".join(parts)


def _explained(names: str) -> str:
    how = legend(names)
    return f"{how}: {names}" if how else names


def counts(names: Sequence[str], fits: Fits) -> str:
    """Return how many names begin with each word, for as many words as fit, or nothing."""
    words = Counter(map(_first_word, names))
    shown = [f"{_plain(word)}… ({count})" for word, count in words.items()]

    def some(count: int) -> str:
        rest = sum([*words.values()][count:])
        return "; ".join([*shown[:count], f"and {rest} more"] if rest else shown)

    text = some(largest(len(shown), lambda count: fits(some(count))))
    return text if fits(text) else ""


def _joined(sections: Sections, written: Callable[[Sequence[str]], str]) -> str:
    parts = [(heading, written(names)) for heading, names in sections.items() if names]
    return "; ".join(f"{heading}: {names}" if heading else names for heading, names in parts)


def _grouped(names: Sequence[str], behind: Mapping[str, str], depth: int, before: str = "") -> str:
    """Return the names in one line. `before` is the beginning of these names that is already
    written, and `behind` has texts to show behind whole names."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_first_word(name) if depth else name, []).append(name)
    written: list[str] = []
    for word, members in groups.items():
        longer = [name for name in members if name != word]
        beginning = _common_beginning(longer, word)
        is_group = len(longer) >= _LEAST_GROUP and not _UNCLEAR.search(beginning)
        alone = [name for name in members if name == word or not is_group]
        written += [_plain(name) + behind.get(before + name, "") for name in alone]
        if is_group:
            rests = [name[len(beginning) :] for name in longer]
            inside = _grouped(rests, behind, depth - 1, before + beginning)
            written.append(f"{beginning}({inside})")
    return " ".join(written)


def _grouped_by_ending(names: Sequence[str], depth: int) -> str:
    """Return the names in one line, those with a common ending together: `(listOrders getOrder)V1`."""
    endings = {name: "" if _UNCLEAR.search(name) else _last_word(name) for name in names}
    counts = Counter(endings.values())
    groups: dict[str, list[str]] = {}
    for name, ending in endings.items():
        groups.setdefault(ending if counts[ending] >= _LEAST_ENDING else "", []).append(name)
    parts = [
        f"({_grouped([name.removesuffix(ending) for name in members], {}, depth)}){ending}"
        if ending
        else _grouped(members, {}, depth)
        for ending, members in groups.items()
    ]
    return " ".join(parts)


def _plain(name: str) -> str:
    return encode(name).decode() if _UNCLEAR.search(name) else name


def _common_beginning(names: Sequence[str], word: str) -> str:
    """Return the longest beginning in whole words that all names share and go on after."""
    first = min(names, key=len, default="")
    beginnings = [first[:end] for end in _word_ends(first) if end < len(first)]
    shared = [text for text in beginnings if all(name.startswith(text) for name in names)]
    return shared[-1] if shared else word


def _word_ends(name: str) -> list[int]:
    return [word.end() for word in _WORD.finditer(name)]


def _first_word(name: str) -> str:
    """Return the first word with the signs behind it, or the whole name if it has one word."""
    return name[: next(iter(_word_ends(name)), len(name))] or name


def _last_word(name: str) -> str:
    ends = _word_ends(name)
    return name[ends[-2] :] if len(ends) > 1 else ""
