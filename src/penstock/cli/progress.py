"""Progress of a command on stderr: a spinner in a terminal, otherwise one line per step."""

from __future__ import annotations

import sys
import threading
import time
from itertools import cycle
from types import TracebackType
from typing import Final, Self

from penstock.cli.printing import tell
from penstock.cli.terminal import printable

_FRAMES: Final = "|/-\\"
_FRAME_SECONDS: Final = 0.1
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """A function that prints the current step when it is called with it."""

    def __init__(self) -> None:
        self._is_watched = sys.stderr.isatty()
        self._words = ""
        self._began = time.monotonic()
        self._ending = threading.Event()
        self._drawing: threading.Thread | None = None

    def __call__(self, words: str) -> None:
        self._words = printable(words)
        if not self._is_watched:
            tell(words)

    def __enter__(self) -> Self:
        if self._is_watched:
            self._drawing = threading.Thread(target=self._draw, daemon=True)
            self._drawing.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ending.set()
        if self._drawing is not None:
            self._drawing.join()
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    def _draw(self) -> None:
        for frame in cycle(_FRAMES):
            if self._ending.wait(_FRAME_SECONDS):
                return
            passed = time.monotonic() - self._began
            text = f"{_CLEAR}{frame} {self._words} ({passed:.0f} s)"
            print(text, end="", file=sys.stderr, flush=True)
