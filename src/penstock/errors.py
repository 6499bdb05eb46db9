"""Errors with one root. Each says what is wrong and, because an agent may read it, what to do next.

They are raised for programming errors and broken infrastructure only. A mistake of a tool's caller
(an unknown mode, an expired token) is a value: `penstock.core.model.values.Refusal`.
"""

from __future__ import annotations


def how_to_install(extra: str = "") -> str:
    """Return the words for installing Penstock, with an extra if one is named.

    The name `penstock` on PyPI belongs to another project, so no message may name it to pip.
    """
    wanted = f".[{extra}]" if extra else "."
    return f'Penstock is not on PyPI: in a clone, pip install "{wanted}"'


class PenstockError(Exception):
    """Penstock cannot continue."""

    next_step = "Report this, with the log of the process."

    def __init__(self, message: str | None = None, *, next_step: str | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.next_step = next_step or type(self).next_step
        super().__init__(f"{self.message} {self.next_step}")


class InvalidSetting(PenstockError):
    """A setting has a value that cannot be used."""

    next_step = "Correct the setting and start again."

    def __init__(
        self, setting: str, value: object, why: str, *, next_step: str | None = None
    ) -> None:
        self.setting = setting
        self.value = value
        self.why = why.rstrip(".") + "."
        super().__init__(f"{setting} = {value!r}: {self.why}", next_step=next_step)


class MissingExtra(PenstockError):
    """An optional library is not installed."""

    def __init__(self, extra: str, needed_for: str) -> None:
        self.extra = extra
        super().__init__(
            f"{needed_for} needs a library that is not installed.",
            next_step=how_to_install(extra),
        )


class InvalidResult(PenstockError):
    """A tool returned something that has no JSON form."""

    next_step = (
        "Return JSON values, dates, named tuples, dataclasses, pydantic, attrs or msgspec objects, "
        "database rows, numpy arrays, or pandas or polars frames from the tool."
    )

    def __init__(self, message: str, *, path: str = "", next_step: str | None = None) -> None:
        self.path = path
        super().__init__(message, next_step=next_step)


class InvalidOutput(PenstockError):
    """`output` is neither summary nor full."""

    next_step = 'Give output as "summary" (default) or "full".'


class CallRefused(PenstockError):
    """A heavy function cannot answer this call."""

    next_step = "Call it as its schema says."


class StoreError(PenstockError):
    """The store of results failed."""

    next_step = "Try again later; if it still fails, tell the operator."

    @property
    def told(self) -> str:
        """The text for the agent, which must not see the hosts and files that the message may name."""
        return (type(self).__doc__ or "").strip()


class StoreUnavailable(StoreError):
    """The store cannot be reached."""


class StoreFull(StoreError):
    """The result is larger than the store will take."""

    next_step = "Raise the store's capacity or the quota, or choose a store on disk."


class EntryCorrupt(StoreError):
    """A stored entry is damaged or was only half written."""

    next_step = "Call the tool again; the damaged entry is never served."


class StoreTooNew(StoreError):
    """The store was written by a newer version of Penstock."""

    next_step = "Upgrade Penstock, or name another store."
