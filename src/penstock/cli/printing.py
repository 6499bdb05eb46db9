"""Printing to a reader that may stop early, and to a terminal that may lack characters."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Final, TextIO

from penstock.errors import PenstockError

_UNWRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class CannotWrite(PenstockError):
    """The output of a command could not be written."""


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End without an error if the reader of stdout or stderr, such as `head`, stops reading. Say so
    if the output cannot be written, as on a full disk."""
    try:
        try:
            yield
        finally:
            for stream in _streams():
                stream.flush()
    except BrokenPipeError:
        _discard_the_rest()
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _discard_the_rest()
        step = "Free some space, or write it to another place."
        raise CannotWrite(
            f"The output could not be written: {error.strerror}.", next_step=step
        ) from None


def _streams() -> list[TextIO]:
    """Return stdout and stderr. Each is None if the process was started without it."""
    return [stream for stream in (sys.stdout, sys.stderr) if stream is not None]


def _discard_the_rest() -> None:
    """Print to nowhere from now on. Otherwise Python flushes again at exit, and reports the error."""
    for stream in _streams():
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str) -> None:
    """Print a text. The command goes on if the reader of stdout has stopped reading."""
    with reader_may_leave():
        print(text)


def tell(text: str) -> None:
    """Print one line on stderr. It may repeat what a server said, so it is escaped."""
    from penstock.cli.terminal import printable

    print(f"penstock: {printable(text)}", file=sys.stderr)


def tell_error(error: PenstockError) -> None:
    """Print an error on stderr as a sentence, and its next step as another."""
    from penstock.cli.terminal import printable

    tell(error.message)
    print(f"  {printable(error.next_step)}", file=sys.stderr)


def can_show(signs: str) -> bool:
    """Return whether the encoding of stdout has these characters."""
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def replace_what_cannot_be_shown() -> None:
    """Print a question mark for each character that the encoding of stdout lacks."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
