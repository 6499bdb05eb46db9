r"""The names in one text of a spec: a path such as `a.b`, or an expression such as `datum.a > 3`.

A text is not parsed but cut, in every way that can isolate a name. So one rule serves paths and
expressions. A piece that is not a name does no harm, because no column has that name. Cutting
cannot find two things, after which any column may be read: a row that is used as a whole
(`toString(datum)`, `datum[name]`), and a name that is spelt with escapes (`datum['\x61']`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# ---- names

_ONE_NAME: Final = re.compile(r"[\w $-]*")
# Between two quotes of one kind lies a name, or the text between two names. So it does not matter
# which quote opens. A name that contains quotes is whole between quotes of the other kind.
_CUTS: Final = (re.compile("'"), re.compile('"'), re.compile(r"(?<!\\)[\[\]]"))
_DOT: Final = re.compile(r"(?<!\\)\.")
_STEP: Final = re.compile(r"""\['([^']*)'\]|\["([^"]*)"\]|\[([^\[\]]*)\]|((?:\\.|[^.\[\\])+)""")
# All but blanks and ASCII punctuation: at least what JavaScript allows in a name.
_WORD: Final = re.compile(r"[^\s!-#%-/:-@\[-^`{-~]+")

# ---- rows

# An escaped dot or bracket is part of a name; other escapes stand for other characters.
_ESCAPE: Final = re.compile(r"\\(?![.\[\]])")
_TEXT: Final = r"""(?:'[^']*'|"[^"]*")"""
_MEMBER: Final = rf"\s*(?:\.\s*[^\s.\[]|\[\s*{_TEXT}\s*\])"
_END: Final = r"(?![\w$])"
_WHOLE_ROW: Final = re.compile(
    rf"""(?<![\w$])(?:
        (?:datum|(?<!\.)parent){_END}(?!{_MEMBER})
        | (?:data|treeAncestors|treePath)\s*\(
            (?![^()]*\)\s*(?:\.\s*length{_END}|\[[^\[\]]*\]{_MEMBER}))
        | indata\s*\((?!\s*{_TEXT}\s*,\s*{_TEXT}\s*,)
    )""",
    re.VERBOSE,
)
# A selection reads columns that the spec names elsewhere. A map function reads GeoJSON, which the
# walk handles. The number of rows and a line break read no column.
_READS_NO_OTHER: Final = re.compile(
    rf"""
        (?:vlSelection(?:Id)?Test|geo[A-Z]\w+)\s*\(\s*{_TEXT}\s*,\s*datum\s*(?=[,)])
        | length\s*\(\s*data\s*\(\s*{_TEXT}\s*\)\s*\)
        | '\\n' | "\\n"
    """,
    re.VERBOSE,
)


def names_in(text: str) -> Iterator[str]:
    """Yield every part of a text that may be the name of a column."""
    yield text
    if _ONE_NAME.fullmatch(text):
        return
    for cut in _CUTS:
        for piece in cut.split(text):
            yield piece.replace("\\", "")
            yield from (step.replace("\\", "") for step in _DOT.split(piece))
    yield from _WORD.findall(text)
    # In a test, a bin or an argmax, Vega-Lite takes the field `a['b']` for a column `a.b`.
    yield ".".join("".join(step) for step in _STEP.findall(text)).replace("\\", "")


def may_read_any_column(text: str) -> bool:
    """Return whether a text may read a column that `names_in` does not find."""
    rest = _READS_NO_OTHER.sub(" ", text)
    return bool(_ESCAPE.search(rest) or _WHOLE_ROW.search(rest))
