"""A whole answer of a site, whether by REST or by MCP, in one form that can be compared."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

REFUSALS = (301, 302, 401, 403, 404)  # a redirect leads to the login
ROWS_IN = ("results", "items", "tasks")


@dataclass
class Answer:
    """An answer with all its pages. `rows` is None if the answer is not a list."""

    status: int
    value: Any = None
    rows: list[Any] | None = None
    count: int | None = None  # the number of rows that the answer states
    pages: int = 1  # the site's own
    tokens: int = 0  # that were followed
    notes: list[str] = field(default_factory=list)

    @property
    def kind(self):
        if self.status in REFUSALS:
            return "refused"
        if self.status >= 300:
            return "failed"
        return "value" if self.rows is None else "rows"

    @property
    def content(self):
        """The answer as texts without an order."""
        if self.kind not in ("value", "rows"):
            return []
        return sorted(map(canonical, [self.value] if self.rows is None else self.rows))

    def told(self):
        if self.kind in ("refused", "failed"):
            said = str(self.status)
        elif self.rows is None:
            said = f"{self.status}, {len(canonical(self.value))} bytes"
        else:
            said = f"{self.status}, {len(self.rows)} rows"
        counted = f", count {self.count}" if self.count is not None else ""
        return ", ".join([said + counted, *self.notes])


def canonical(value):
    return json.dumps(value, sort_keys=True)


def rows_of(value):
    """Return the rows of a page in any form that the sites and Penstock have; None of no page."""
    if isinstance(value, list):
        return value
    found = [value[name] for name in ROWS_IN if isinstance(value, dict) and name in value]
    return found[0] if found and isinstance(found[0], list) else None


def count_of(value):
    """Return the number of rows that a page states."""
    if not isinstance(value, dict):
        return None
    stated = (value.get("count"), value.get("total"), _wagtail_count(value))
    return next((number for number in stated if isinstance(number, int)), None)


def _wagtail_count(value):
    meta = value.get("meta")
    return meta.get("total_count") if isinstance(meta, dict) else None


def following(value, page, seen, pages_by=""):
    """Return the query for the page after one of the site's own pages; None after the last."""
    if not rows_of(value):
        return None
    if pages_by:
        return {pages_by: page + 1}
    if isinstance(value, list):
        return None
    if isinstance(value.get("next"), str):
        pairs = parse_qsl(urlsplit(value["next"]).query)
        return {name: int(given) if given.isdigit() else given for name, given in pairs}
    if seen < (_wagtail_count(value) or 0):
        return {"offset": seen}
    has_more = "tasks" in value and seen < value["total"]
    return {"page": page + 1} if has_more else None
