"""The signs by which a text is certainly Markdown.

Comments of scripts and settings look like headings: `# Where the logs are`. So the blocks between the
headings decide. In Markdown these are sentences, lists, code in fences and tables. In scripts and
settings they are statements, pairs of a name and a value, and single words. The figures here were
chosen on 15,000 files of all kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from penstock.core.results.formats.markdown.blocks import markdown_blocks
from penstock.core.results.formats.markdown.lines import ROW_LINES
from penstock.core.results.formats.markdown.open import MarkdownBlock

_SAMPLE: Final = 100_000  # bytes at the start, whose blocks are looked at
_SEVERAL: Final = 2
_LARGE_TABLE: Final = 0.8  # of the text
# Most scripts have comments with one mark, and few have others. So there have to be more signs beside
# such headings.
_ONE_MARK: Final = frozenset({b"#"})
_FEWEST_MARKS: Final = 3
# Comments are in a row, and no two headings of a level are. So each such pair counts for more.
_IN_A_ROW: Final = 4
_LONGEST_TITLE: Final = 200  # bytes
_SHORT_RULER: Final = 3
_RULER_DIFFERS: Final = 4  # bytes at most, from its title
_BEFORE: Final = 200  # bytes before a heading, in which an empty line is looked for
# Other notations with headings, mainly reStructuredText, and programs. Each pattern starts with plain
# bytes, so that the search is fast.
_OTHER: Final = (
    re.compile(
        rb"\n(?:\.\. (?:[\w-]++(?::[\w-]++)*+::|_[^\n]++:|\[)|:[A-Za-z]++: |=(?:head[1-4]|over|item|pod|cut)\b|={1,5} \w"
        rb"|(?<=[^\s]\n)(?:~{4,}+|\^{4,}+|\"{4,}+|'{4,}+|\+{4,}+|\*{4,}+)[ \t]*+\r?(?:\n|\Z))"
    ),
    re.compile(rb":(?:ref|doc|class|func|meth|mod|attr|pep|pypi|issue|pr|user):`"),
    re.compile(rb">`__?(?!\w)"),
    re.compile(rb"::\r?\n\r?\n[ \t]"),
)
_OTHER_START: Final = re.compile(rb"#!|[rRuUbB]?+(?:\"\"\"|''')|\s*+<(?:\?xml|!DOCTYPE|html)\b")
_MOST_COMMENTS: Final = 20  # after which there is no need to look on
_KEYWORDS: Final = (
    rb"import|from|def|class|return|if|elif|else|for|while|try|except|with|export|set|unset|local|echo|sudo|let|"
    rb"const|var|function|fi|done|then|esac|end|case|exit|source|print|printf|include|require|use|my|RUN|FROM|"
    rb"COPY|ENV|CMD|ADD|WORKDIR|EXPOSE|ENTRYPOINT|alias|assert|raise|async|await|public|private|static|void|int|"
    rb"char|struct|typedef|extern"
)
# A line of a program, of settings, of a list of words, or of a diff.
_STATEMENT: Final = re.compile(
    rb"^[ \t]*+(?:-[ \t]++(?=[a-z_]\w*+:))?+(?![\[!<*(`>\\]|https?:)"
    rb"(?:[\w.\[\]\"'-]++[ \t]*+(?:[-+*/:|&]?=(?!=)|==|<-|:=|>=|~=)[^\n]*+"
    rb"|[a-z_\"'][\w.\"'/-]*+:(?:[ \t][^\n]*+)?"
    rb"|(?:" + _KEYWORDS + rb")\b[^\n]*+(?<![.!?,])"
    rb"|[@$%&!/~]\w[^\n]*+"
    rb"|[^\s]++(?<![.!?:])"
    rb"|[^\n]*+(?<=[;{}\\(])"
    rb")[ \t]*+\r?$"
    rb"|^(?:diff --git |@@ -[0-9]|\+\+\+ |--[ \t])[^\n]*+$"
    rb"|^\[[\w .:\"'/-]++\][ \t]*+\r?$",
    re.MULTILINE,
)
# A line that is certainly of a program. In a document, such lines are in fences.
_PROGRAM: Final = re.compile(
    rb"^(?:def \w++\(|class \w++[(:]|import [\w.]++\r?$|from [\w.]++ import |if __name__ )",
    re.MULTILINE,
)
_SENTENCE_START: Final = re.compile(rb"(?:[-+*>]|[0-9]++[.)]|\s)*+[*_`\"'(\[]*+[A-Z\x80-\xff]")
_SENTENCE_END: Final = re.compile(rb"[.!?:][\"'*_`)]*+\s*+\Z")
# A link, words in bold or in code, a list item.
_MARK: Final = re.compile(
    rb"\]\(|\]\[|\*\*\w|`\w[^`\n]{0,100}+`(?!`)|^[ \t]*+(?:[-+*]|1[.)])[ \t]++\w", re.MULTILINE
)
_WORD: Final = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_MARK_IN_TITLE: Final = re.compile(rb"[`<]|\]\(")
_CODE_IN_TITLE: Final = re.compile(
    rb"[;{}\\=,]\Z|\w[ \t]*+=[ \t]*+\S|\A[-=#*~]{3}|[-=#*~]{4}\Z"
    rb"|\A(?:define|ifdef|ifndef|include|undef|pragma|endif)\b"
)


class _Evidence(msgspec.Struct):
    """Counts of what there is in the blocks of a text."""

    titles: int = 0  # headings that are certainly no comments
    comments: int = 0  # other headings
    styles: set[bytes] = set()  # of titles: their marks, or the byte of their underlines
    fences: int = 0
    tables: int = 0
    table_bytes: int = 0
    texts: int = 0
    sentences: int = 0  # texts that start and end like a sentence
    lines: int = 0  # of texts
    statements: int = 0  # lines that are in no sentence
    marks: int = 0

    @property
    def has_titles(self) -> bool:
        times = 4 if self.styles == _ONE_MARK else 2
        return 0 < self.titles >= times * self.comments

    @property
    def is_prose(self) -> bool:
        share = 0.1 if self.styles == _ONE_MARK else 0.34
        return self.statements <= share * self.lines

    @property
    def has_signs(self) -> bool:
        marks = self.marks + self.fences + self.tables
        if self.styles == _ONE_MARK:
            return marks >= _FEWEST_MARKS or self.sentences > max(self.titles, _FEWEST_MARKS)
        is_nested = len(self.styles) > 1 and not self.texts
        return is_nested or marks + self.sentences >= _SEVERAL


def is_markdown(text: bytes) -> bool:
    """Return whether a text is certainly Markdown, by the blocks at its start."""
    if _OTHER_START.match(text):
        return False
    # The rest is not read: a text that is none may be one block of many lines.
    sample = text[: _SAMPLE if len(text) <= _SAMPLE else text.rfind(b"\n", 0, _SAMPLE) + 1]
    if any(other.search(b"\n" + sample) for other in _OTHER):
        return False
    found = _evidence(text, markdown_blocks(sample, keeps_lines=False, has_texts=True))
    if not found.has_titles or not found.is_prose:
        return False
    if found.tables == 1 and found.titles == 1 and found.table_bytes > _LARGE_TABLE * len(text):
        return False  # a table with a title is read by the format of tables
    if found.titles < _SEVERAL:
        return bool(found.fences or found.tables) and found.texts > 0
    return found.has_signs


def _evidence(text: bytes, blocks: Iterable[MarkdownBlock]) -> _Evidence:
    found = _Evidence()
    last: MarkdownBlock | None = None
    for block in blocks:
        match block.kind:
            case "heading":
                _note_heading(found, text, block, last)
            case "code":
                found.fences += block.is_fenced
            case "table":
                found.tables += 1
                more = ROW_LINES.match(text, block.stop)  # beyond the sample
                found.table_bytes += (more.end() if more else block.stop) - block.start
            case "text":
                _note_text(found, text[block.start : block.stop])
        last = block
        if found.comments > _MOST_COMMENTS and not found.has_titles:
            break
    return found


def _note_text(found: _Evidence, text: bytes) -> None:
    found.texts += 1
    found.lines += text.rstrip(b"\r\n").count(b"\n") + 1
    if _SENTENCE_START.match(text) and _SENTENCE_END.search(text[-_BEFORE:]):
        found.sentences += 1
    found.statements += sum(1 for _ in _STATEMENT.finditer(text))
    if _PROGRAM.search(text):
        found.comments += _IN_A_ROW
    found.marks += sum(1 for _ in _MARK.finditer(text))


def _note_heading(
    found: _Evidence, text: bytes, heading: MarkdownBlock, last: MarkdownBlock | None
) -> None:
    is_below = last is not None and last.kind == "heading" and last.stop == heading.start
    if is_below and last is not None and last.level == heading.level:
        found.comments += _IN_A_ROW
    elif _is_title(text, heading):
        found.titles += 1
        is_marked = text[heading.start : heading.start + 1] == b"#"
        found.styles.add(
            b"#" * heading.level if is_marked else b"=-"[heading.level - 1 : heading.level]
        )
    else:
        found.comments += 1


def _is_title(text: bytes, heading: MarkdownBlock) -> bool:
    """Return whether a heading has a title, and an empty line before it."""
    title = heading.info
    if not _WORD.search(title) or len(title) > _LONGEST_TITLE:
        return False
    if _CODE_IN_TITLE.search(title) and not _MARK_IN_TITLE.search(title):
        return False
    before = text[max(0, heading.start - _BEFORE) : heading.start]
    gap = before[len(before.rstrip()) :]
    if gap != before and gap.count(b"\n") < _SEVERAL:
        return False
    source = text[heading.start : heading.stop].rstrip()
    return source.startswith(b"#") or _is_underlined(source, title)


def _is_underlined(source: bytes, title: bytes) -> bool:
    """Return whether a title of one line has an underline of about its length."""
    line, _, underline = source.partition(b"\n")
    size = len(underline.strip())
    is_fitting = size == _SHORT_RULER or abs(size - len(title)) <= _RULER_DIFFERS
    is_plain = b"\n" not in underline and b"  " not in title and not line.startswith(b" ")
    return is_fitting and is_plain
