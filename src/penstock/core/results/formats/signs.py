"""The signs of formats: patterns that a text of the format has in its first bytes. Every text is
searched for them, so they are cheap, and rare in other texts."""

from __future__ import annotations

from typing import Final

_START: Final = rb"\A[ \t\r\n]*+"

JUNIT: Final = _START + rb"(?:<\?xml[^<]*+)?+<testsuites?+[\s>]"
XML: Final = _START + rb"<(?:\?xml|[!A-Za-z_])"
HTML: Final = rb"(?i)<(?:!doctype|html|h[1-6]|p|div|table|[uod]l|section|article|body|head)[\s>]"
# A hunk, or the lines above the first.
DIFF: Final = rb"\n(?:@@+ -[0-9]|diff --git |index [0-9a-f]|old mode |similarity index )"
GIT_LOG: Final = rb"commit (?:[-<>=+] )?[0-9a-f]{7,64}[^\n]*\n(?:Merge|Author|Reflog): "
TAP: Final = rb"\n *+(?:not ok|ok)(?: [0-9]| -)"
PYTEST: Final = rb"= (?:test session starts|FAILURES|ERRORS|short test summary info) ="
# In one of the first lines: two cells with blanks between them, a rule, or a file of a listing.
TABLE: Final = (
    rb"\A(?:[^\n]*+\n){0,24}?[ \t]*+(?:(?:[^ \n]++ )++ ++[^ \r\n]|[|+:=-][|+:= \t-]++\r?+(?:\n|\Z)"
    rb"|\xe2[\x94\x95]|[bcdlps-](?:[r-][w-][xsStT-]){3})"
)
# Near the start of one of the first lines: a level, a clock, a key of logfmt, or the seconds of a kernel.
LOG: Final = (
    rb"\A(?:[^\n]*+\n){0,40}?(?:(?:\x1b\[[0-9;]*+m)*+\[?+(?:INFO|ERRO|WARN|DEBU|[VDIWEF]/|[a-z]{4,7}[:\]])"
    rb"|[^\n]{0,100}?[:=\]](?:(?<=:)[0-5][0-9]:[0-6][0-9]|(?<=level=)|(?<=lvl=)|(?<=msg=)|(?<=[0-9]{6}\])))"
)
# Two lines that each have a key.
RECORDS: Final = rb"(?m)^[A-Za-z][^:\n]{0,60}:[ \t].*\n[A-Za-z][^:\n]{0,60}:[ \t\r\n]"
# A key, an item or `---` is first, after comments.
YAML: Final = (
    rb"\A(?:[ \t]*+(?:#[^\n]*+)?+\r?\n)*+"
    rb"(?:---|%YAML|%TAG|-[ \r\n]|[^\s:#\[{`|]++[ \t]*+:(?:[ \t\r\n]|\Z))"
)
# A heading, a fence, a table or a rule.
MARKDOWN: Final = rb"\n(?:[#=`~|][=#`~ ]|--)"
