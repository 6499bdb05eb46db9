"""The dates of git, in ISO 8601, so that SQL can compare them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, NamedTuple

_MONTHS: Final = {
    name: f"{number:02}"
    for number, name in enumerate(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        start=1,
    )
}
_MONTH: Final = "(?P<month>[A-Z][a-z]{2})"
_TIME: Final = r"(?P<time>\d\d:\d\d:\d\d)"
_ZONE: Final = r"(?: (?P<zone>[+-]\d\d)(?P<minutes>\d\d))?"
_FORMS: Final = tuple(
    re.compile(form, re.ASCII)
    for form in (
        rf"[A-Z][a-z]{{2}} {_MONTH} +(?P<day>\d{{1,2}}) {_TIME} (?P<year>\d{{4}}){_ZONE}",  # git's own
        rf"(?P<year>\d{{4}})-(?P<number>\d\d)-(?P<day>\d\d) {_TIME}{_ZONE}",  # --date=iso
        rf"[A-Z][a-z]{{2}}, (?P<day>\d{{1,2}}) {_MONTH} (?P<year>\d{{4}}) {_TIME}{_ZONE}",  # --date=rfc
    )
)


class GitDate(NamedTuple):
    """A date, as rows show it."""

    text: str  # in ISO 8601 if git wrote a date and a time; otherwise as git wrote it
    moment: datetime | None


def git_date(written: str) -> GitDate:
    """Return a date that git wrote."""
    for form in _FORMS:
        found = form.fullmatch(written)
        if found is not None:
            made = _iso(found)
            moment = _moment(made)
            return GitDate(written if moment is None else made, moment)
    return GitDate(written, _moment(written))


def _iso(found: re.Match[str]) -> str:
    parts = found.groupdict()
    month = parts.get("number") or _MONTHS.get(parts.get("month", ""), "")
    zone = f"{parts['zone']}:{parts['minutes']}" if parts["zone"] else ""
    return f"{parts['year']}-{month}-{parts['day']:0>2}T{parts['time']}{zone}"


def _moment(date: str) -> datetime | None:
    try:
        return datetime.fromisoformat(date)
    except ValueError:
        return None
