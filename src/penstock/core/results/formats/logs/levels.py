"""The levels of log entries, in one spelling: the word of the log in upper case. A letter or a number
that stands for a level becomes its word."""

from __future__ import annotations

from typing import Final

_WORDS: Final = (
    b"TRACE", b"VERBOSE", b"FINEST", b"FINER", b"FINE", b"DEBUG", b"CONFIG", b"INFORMATION", b"INFO",
    b"NOTICE", b"NOTE", b"SUCCESS", b"WARNING", b"WARN", b"ERROR", b"ERR", b"SEVERE", b"CRITICAL",
    b"CRIT", b"ALERT", b"EMERGENCY", b"EMERG", b"FATAL", b"PANIC", b"SYSTEM",
)  # fmt: skip
# A word in upper case.
UPPER: Final = rb"(?:" + b"|".join(_WORDS) + rb")(?![\w.=/(])"
# A word in any case.
ANY_CASE: Final = rb"(?i:" + b"|".join(_WORDS) + rb")"
# The levels of PostgreSQL, some of which name what an entry says.
POSTGRES: Final = (
    rb"(?:DEBUG[1-5]?|INFO|NOTICE|WARNING|ERROR|LOG|FATAL|PANIC|DETAIL|HINT|QUERY|CONTEXT|LOCATION"
    rb"|STATEMENT|BACKTRACE)"
)
_KNOWN: Final = frozenset(_WORDS)
_SIGNS: Final = {
    b"V": b"VERBOSE", b"D": b"DEBUG", b"I": b"INFO", b"W": b"WARNING", b"E": b"ERROR", b"F": b"FATAL",
    b"A": b"ASSERT",
    # Redis
    b".": b"DEBUG", b"-": b"VERBOSE", b"*": b"NOTICE", b"#": b"WARNING",
}  # fmt: skip
_SHORT: Final = {
    # .NET and logrus, which cut words to four letters
    b"TRCE": b"TRACE", b"DBUG": b"DEBUG", b"FAIL": b"ERROR", b"TRAC": b"TRACE", b"DEBU": b"DEBUG",
    b"ERRO": b"ERROR", b"FATA": b"FATAL", b"PANI": b"PANIC", b"EROR": b"ERROR", b"DBG": b"DEBUG",
    b"INF": b"INFO", b"WRN": b"WARNING",
}  # fmt: skip
# By the severity of syslog.
SEVERITIES: Final = (
    b"EMERGENCY", b"ALERT", b"CRITICAL", b"ERROR", b"WARNING", b"NOTICE", b"INFO", b"DEBUG",
)  # fmt: skip


def level_word(written: bytes) -> bytes:
    """Return a level in its one spelling."""
    word = written.upper()
    return _SIGNS.get(word) or _SHORT.get(word, word)


def is_level(written: bytes) -> bool:
    """Return whether a text is a level, and no letter or sign that may be anything."""
    word = written.upper()
    return word in _KNOWN or word in _SHORT
