"""The test cases of a JUnit report, each as a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import msgspec

from penstock.core.results.formats.xml.values import (
    TEXT_KEY,
    ElementReader,
    XmlNode,
    XmlReading,
    number_in,
)

# The outcome of a test case, by the child that tells it. Those that come first count first.
OUTCOMES: Final = {"error": "error", "failure": "failed", "skipped": "skipped"}
NOT_RUN: Final = ("notrun", "disabled")  # as GoogleTest writes it, in `status`
COLUMNS: Final = ("class", "name", "time", "outcome", "message", "details")
_EACH: Final = XmlReading("", is_local=True)
_ONE_OPEN: Final = 2  # the document, and the test case


class JunitReading(msgspec.Struct, frozen=True, omit_defaults=True):
    """The way to read test cases, and the suites to tell of."""

    suites: tuple[dict[str, str], ...]
    numbers: tuple[str, ...] = ()  # attributes whose texts are all numbers
    suites_omitted: int = 0


def pairs(attributes: Sequence[str]) -> dict[str, str]:
    return dict(zip(attributes[::2], attributes[1::2], strict=True))


def decoded_test(kept: bytes, reading: JunitReading) -> dict[str, Any]:
    """Return the test case in a row as it is kept. Further attributes and children are as in any XML."""
    case = _case_in(kept)
    attributes = pairs(case.attributes)
    children = dict(case.children)
    sign = next((name for name in OUTCOMES if name in children), "")
    causes = [*map(_cause, children.pop(sign, []))]
    details = "\n\n".join(filter(None, _all_details(causes)))
    row = {
        "class": attributes.pop("classname", None),
        "name": attributes.pop("name", None),
        "time": _cell("time", attributes.pop("time", None), reading),
        "outcome": OUTCOMES.get(sign) or _outcome_without_sign(attributes),
        "message": next((cause.message for cause in causes if cause.message), None),
    }
    row |= {"details": details} if details else {}
    row |= causes[0].others if causes else {}
    row |= {f"@{name}": _cell(name, value, reading) for name, value in attributes.items()}
    return row | {name: case.child(name, values, _EACH) for name, values in children.items()}


def _outcome_without_sign(attributes: Mapping[str, str]) -> str:
    return "skipped" if attributes.get("status") in NOT_RUN else "passed"


class _Cause(NamedTuple):
    """The cause of an outcome other than passed."""

    message: str
    details: str
    others: dict[str, Any]  # further attributes, such as "@type"


def _cause(value: Any) -> _Cause:
    """Return the cause that an element tells. Without a message, it is the first line of the text."""
    others = dict(value) if isinstance(value, dict) else {TEXT_KEY: value}
    text = others.pop(TEXT_KEY, None) or ""
    message = others.pop("@message", None) or ""
    return _Cause(message or text.partition("\n")[0], text, others)


def _all_details(causes: Sequence[_Cause]) -> list[str]:
    """Return the details of causes. The row shows the message of the first alone."""
    further = [cause.details or cause.message for cause in causes[1:]]
    return [*(cause.details for cause in causes[:1]), *further]


def _cell(name: str, text: str | None, reading: JunitReading) -> Any:
    return number_in(text) if text is not None and name in reading.numbers else text


class _Found(Exception):
    """The test case is read. Nothing that follows it in its row is part of it."""


class _CaseReader(ElementReader):
    """A reader of a test case, up to its end."""

    def end(self, name: str) -> None:
        if len(self.open) == _ONE_OPEN:
            raise _Found
        super().end(name)


def _case_in(row: bytes) -> XmlNode:
    reader = _CaseReader(_EACH)
    with suppress(_Found):
        reader.read(row)
    return reader.open[1]
