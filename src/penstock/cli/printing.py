"""Printing for a reader that may leave, and for a terminal that may lack characters."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End quietly where the reader of stdout, such as `head`, has read enough."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # At exit Python would flush again, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def replace_what_cannot_be_shown() -> None:
    """Print a question mark for each character that the encoding of stdout lacks."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
