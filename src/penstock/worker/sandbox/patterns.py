"""The SQL functions of regular expressions, in the syntax of Python's `re`.

A pattern may take exponential time. The parent ends the child at the time limit, and the child's
own alarm would.
"""

from __future__ import annotations

import re

from penstock.worker.sandbox.column import RefusedQuestion

_EXCERPT_CHARS = 60
_MOST_CHARS = 50_000_000  # the longest text that SQLite may hold here
_BAD_PATTERN = (re.error, RecursionError, OverflowError)


def regexp(pattern: object, text: object) -> bool | None:
    """Return whether the pattern occurs in the text. SQLite calls this for `text REGEXP pattern`."""
    if pattern is None or text is None:
        return None
    return _compiled(pattern).search(str(text)) is not None


def regexp_extract(*arguments: object) -> str | None:
    """Return the first match of a pattern in a text, or one group of it; NULL without a match."""
    if len(arguments) not in (2, 3):
        raise RefusedQuestion(
            "regexp_extract takes a text, a pattern and, if wanted, a group.",
            "Write regexp_extract(text, pattern) or regexp_extract(text, pattern, 1).",
        )
    text, pattern, group = (*arguments, 0)[:3]
    if text is None or pattern is None or group is None:
        return None
    compiled = _compiled(pattern)
    if not _has_group(compiled, group):
        raise RefusedQuestion(
            f"{_excerpt(pattern)} has no group {str(group)[:_EXCERPT_CHARS]}.",
            f"The pattern has {compiled.groups} groups in brackets; 0 is the whole match.",
        )
    match = compiled.search(str(text))
    return match[group] if match else None  # type: ignore[call-overload]


def _has_group(pattern: re.Pattern[str], group: object) -> bool:
    if isinstance(group, int):
        return 0 <= group <= pattern.groups
    return group in pattern.groupindex


def regexp_replace(text: object, pattern: object, replacement: object) -> str | None:
    r"""Return the text with every match replaced. `\1` in the replacement is the first group."""
    if text is None or pattern is None or replacement is None:
        return None
    searched, template = str(text), str(replacement)
    compiled = _compiled(pattern)
    if _may_grow(compiled, template, searched):
        raise RefusedQuestion(
            f"regexp_replace could make a text of more than {_MOST_CHARS:,} characters.",
            "Write a shorter replacement, or a pattern that matches less often.",
        )
    try:
        return compiled.sub(template, searched)
    except (*_BAD_PATTERN, IndexError) as error:
        raise RefusedQuestion(
            f"{_excerpt(replacement)} is not a replacement: {error}",
            r"Correct the replacement: \1 is the first group, and \\ a backslash.",
        ) from None


def _may_grow(pattern: re.Pattern[str], template: str, text: str) -> bool:
    """Return whether the replaced text may be longer than SQLite allows.

    Not every platform limits the memory of this process.
    """
    # Every match, at most one for each character, could insert a group as long as the text.
    if (len(text) + 1) ** 2 * len(template) <= _MOST_CHARS:
        return False
    references = template.count("\\")
    added = 0
    for match in pattern.finditer(text):
        added += len(template) + references * _longest_group(match)
        if added > _MOST_CHARS:
            return True
    return False


def _longest_group(match: re.Match[str]) -> int:
    return max(len(group) for group in (match[0], *match.groups("")))


def _compiled(pattern: object) -> re.Pattern[str]:
    try:
        return re.compile(str(pattern))  # `re` remembers the last few hundred patterns.
    except _BAD_PATTERN as error:
        raise RefusedQuestion(
            f"{_excerpt(pattern)} is not a regular expression: {error}",
            "Correct the pattern; its syntax is that of Python's re.",
        ) from None


def _excerpt(text: object) -> str:
    return repr(str(text)[:_EXCERPT_CHARS])
