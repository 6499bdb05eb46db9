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
_LARGE_FENCE: Final = 0.5  # of the sample
# Most scripts have comments with one mark, and few have others. So there have to be more signs beside
# such headings.
_ONE_MARK: Final = frozenset({b"#"})
_FEWEST_MARKS: Final = 3
_FEW_STATEMENTS: Final = 0.1  # of the lines
_SOME_STATEMENTS: Final = 0.34
_STATEMENTS_PER_SIGN: Final = 0.5
_DEEP: Final = 3  # the level of headings that may have code in them: no comment has so many marks
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
    rb"^[ \t]*+(?P<item>-[ \t]++(?=[a-z_]\w*+:))?+(?![\[!<*(`>\\]|https?:)"
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
_RULER: Final = rb"\A[-=#*~]{3}|[-=#*~]{4}\Z"
_RULER_IN_TITLE: Final = re.compile(_RULER)
_CODE_IN_TITLE: Final = re.compile(
    _RULER + rb"|[;{}\\=,]\Z|\w[ \t]*+=[ \t]*+\S"
    rb"|\A(?:define|ifdef|ifndef|include|undef|pragma|endif)\b"
)


class _Evidence(msgspec.Struct):
    """Counts of what there is in the blocks of a text."""

    titles: int = 0  # headings that are certainly no comments
    comments: int = 0  # other headings
    styles: set[bytes] = set()  # of titles: their marks, or the byte of their underlines
    tight: int = 0  # headings with several marks, and a line of text right before them
    tight_styles: set[bytes] = set()
    fences: int = 0
    largest_fence: int = 0  # bytes
    tables: int = 0
    table_bytes: int = 0
    texts: int = 0
    sentences: int = 0  # texts that start and end like a sentence
    lines: int = 0  # of texts
    statements: int = 0  # lines that are in no sentence
    pairs: int = 0  # list items with a name and a value: `- cpu: 1`, which YAML has too
    marks: int = 0

    @property
    def has_titles(self) -> bool:
        times = 4 if self.styles == _ONE_MARK else 2
        return 0 < self.titles >= times * self.comments

    @property
    def is_prose(self) -> bool:
        if self.styles == _ONE_MARK:
            return self.statements + self.pairs <= _FEW_STATEMENTS * self.lines
        most = max(_SOME_STATEMENTS * self.lines, _STATEMENTS_PER_SIGN * self._signs)
        return self.statements <= most

    @property
    def has_signs(self) -> bool:
        if self.styles == _ONE_MARK:
            is_marked = self.marks + self.fences + self.tables >= _FEWEST_MARKS
            fewest = 0 if self.sentences == self.texts else _FEWEST_MARKS
            return is_marked or self.sentences >= max(self.titles, fewest)
        is_nested = len(self.styles) > 1 and (not self.texts or self._signs > 0)
        return is_nested or self._signs >= _SEVERAL

    @property
    def _signs(self) -> int:
        return self.marks + self.fences + self.tables + self.sentences

    def settle(self) -> None:
        """Count tight headings as titles if there are sentences and lists below them, and as comments
        otherwise."""
        has_few = self.statements <= _FEW_STATEMENTS * self.lines
        if has_few and self._signs >= self.tight:
            self.titles += self.tight
            self.styles |= self.tight_styles
        else:
            self.comments += self.tight


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
    if found.tight and found.largest_fence > _LARGE_FENCE * len(sample):
        return False  # the snapshot of a page with a few lines around it is better read as lines
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
                found.largest_fence = max(found.largest_fence, block.stop - block.start)
            case "table":
                found.tables += 1
                more = ROW_LINES.match(text, block.stop)  # beyond the sample
                found.table_bytes += (more.end() if more else block.stop) - block.start
            case "text":
                _note_text(found, text[block.start : block.stop])
        last = block
        if found.comments > _MOST_COMMENTS and not found.has_titles:
            break
    found.settle()
    return found


def _note_text(found: _Evidence, text: bytes) -> None:
    found.texts += 1
    found.lines += text.rstrip(b"\r\n").count(b"\n") + 1
    if _SENTENCE_START.match(text) and _SENTENCE_END.search(text[-_BEFORE:]):
        found.sentences += 1
    for statement in _STATEMENT.finditer(text):
        if statement["item"]:
            found.pairs += 1
        else:
            found.statements += 1
    if _PROGRAM.search(text):
        found.comments += _IN_A_ROW
    found.marks += sum(1 for _ in _MARK.finditer(text))


def _note_heading(
    found: _Evidence, text: bytes, heading: MarkdownBlock, last: MarkdownBlock | None
) -> None:
    is_next = last is not None and last.stop == heading.start
    is_marked = text[heading.start : heading.start + 1] == b"#"
    style = b"#" * heading.level if is_marked else b"=-"[heading.level - 1 : heading.level]
    if is_next and last is not None and last.kind == "heading" and last.level == heading.level:
        found.comments += _IN_A_ROW
    elif not _is_title(text, heading):
        found.comments += 1
    elif _is_apart(text, heading) or (is_next and last is not None and _may_precede(last, heading)):
        found.titles += 1
        found.styles.add(style)
    elif is_marked and heading.level > 1:
        found.tight += 1
        found.tight_styles.add(style)
    else:
        found.comments += 1


def _may_precede(last: MarkdownBlock, heading: MarkdownBlock) -> bool:
    """Return whether a heading may follow a block without an empty line: a heading above it, or a
    fence."""
    return last.is_fenced or (last.kind == "heading" and last.level < heading.level)


def _is_apart(text: bytes, heading: MarkdownBlock) -> bool:
    """Return whether a heading is at the start, or has an empty line before it."""
    before = text[max(0, heading.start - _BEFORE) : heading.start]
    gap = before[len(before.rstrip()) :]
    return gap == before or gap.count(b"\n") >= _SEVERAL


def _is_title(text: bytes, heading: MarkdownBlock) -> bool:
    """Return whether a heading has the words of a title."""
    title = heading.info
    if not _WORD.search(title) or len(title) > _LONGEST_TITLE:
        return False
    pattern = _CODE_IN_TITLE if heading.level < _DEEP else _RULER_IN_TITLE
    if pattern.search(title) and not _MARK_IN_TITLE.search(title):
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
