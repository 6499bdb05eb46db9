"""The findings as text for a terminal, and as JSON. The keys of the JSON stay the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from penstock.cli.checkup.findings import CheckupSection, Status
from penstock.cli.terminal import printable
from penstock.core.json.encoding import encode

_MARKS: Final[Mapping[Status, str]] = {"ok": "✓", "optional": "·", "warning": "!", "broken": "✗"}
_PLAIN_MARKS: Final[Mapping[Status, str]] = {
    "ok": "ok", "optional": "- ", "warning": "! ", "broken": "X ",
}  # fmt: skip


def as_text(sections: Sequence[CheckupSection], *, is_plain: bool) -> str:
    """Return the findings. `is_plain`: the terminal can show only ASCII."""
    return "\n".join(map(printable, _lines(sections, _PLAIN_MARKS if is_plain else _MARKS)))


def _lines(sections: Sequence[CheckupSection], marks: Mapping[Status, str]) -> Iterator[str]:
    for section in sections:
        yield section.title
        for finding in section.findings:
            mark = marks[finding.status]
            yield f"  {mark} {finding.told}"
            if finding.next_step:
                yield f"  {' ' * len(mark)} -> {finding.next_step}"
        yield ""
    counts = [
        sum(_count(section, status) for section in sections) for status in ("broken", "warning")
    ]
    broken, warned = counts
    yield f"{broken} broken, {warned} to look at." if broken or warned else "All is well."


def _count(section: CheckupSection, status: Status) -> int:
    return sum(finding.status == status for finding in section.findings)


def is_broken(sections: Sequence[CheckupSection]) -> bool:
    return any(_count(section, "broken") for section in sections)


def as_json(sections: Sequence[CheckupSection]) -> str:
    return encode(
        {
            "ok": not is_broken(sections),
            "sections": [
                {
                    "title": section.title,
                    "findings": [
                        {
                            "status": finding.status,
                            "told": finding.told,
                            "next_step": finding.next_step or None,
                            "facts": dict(finding.facts),
                        }
                        for finding in section.findings
                    ],
                }
                for section in sections
            ],
        }
    ).decode()
