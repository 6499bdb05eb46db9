"""Printing to a reader that may stop early, and to a terminal that may lack characters."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End without an error if the reader of stdout, such as `head`, stops reading."""
    try:
        yield
        if sys.stdout is not None:  # None if the process was started without one
            sys.stdout.flush()
    except BrokenPipeError:
        # Otherwise Python flushes again at exit, and reports the error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Print a text. The command goes on if the reader of stdout has stopped reading."""
    with reader_may_leave():
        print(text)


def replace_what_cannot_be_shown() -> None:
    """Print a question mark for each character that the encoding of stdout lacks."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
