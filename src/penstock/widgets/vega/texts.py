r"""The names in one text of a spec: in a path such as `a.b`, or in an expression such as `datum.a > 3`.

A text is not parsed but cut, in every way in which a name can stand in it. So one rule serves paths
and expressions; a piece that is no name does no harm, because no column is called so. Two things
cannot be found by cutting, and then any column may be read: a row that is used as a whole
(`toString(datum)`, `datum[name]`), and a name that is spelt with escapes (`datum['\x61']`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# ---- names

_ONE_NAME: Final = re.compile(r"[\w $-]*")
# Between two quotes of a kind there is a name or the text between two names, so it never matters
# which quote opens. A name that has quotes in it is whole between those of the other kind.
_CUTS: Final = (re.compile("'"), re.compile('"'), re.compile(r"(?<!\\)[\[\]]"))
_DOT: Final = re.compile(r"(?<!\\)\.")
_STEP: Final = re.compile(r"""\['([^']*)'\]|\["([^"]*)"\]|\[([^\[\]]*)\]|((?:\\.|[^.\[\\])+)""")
# All that is neither blank nor a mark of ASCII: more than JavaScript allows in a name, never less.
_WORD: Final = re.compile(r"[^\s!-#%-/:-@\[-^`{-~]+")

# ---- rows

# An escaped dot or bracket belongs to a name as it is; other escapes stand for other characters.
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
# A selection looks at columns that the spec names for it, and a function of maps at GeoJSON, which
# the walk knows. The number of rows and a line break read no column.
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
    # In some places (a test, a bin, an argmax) Vega-Lite takes the field `a['b']` for a column `a.b`.
    yield ".".join("".join(step) for step in _STEP.findall(text)).replace("\\", "")


def may_read_any_column(text: str) -> bool:
    """Tell whether a text may read a column that `names_in` does not find in it."""
    rest = _READS_NO_OTHER.sub(" ", text)
    return bool(_ESCAPE.search(rest) or _WHOLE_ROW.search(rest))
