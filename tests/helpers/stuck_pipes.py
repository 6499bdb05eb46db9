"""Pipes that are full, because their reader is stuck. POSIX only."""

import fcntl
import os
import struct
import termios
from contextlib import suppress


def write_ignoring(pipe, data):
    with suppress(OSError):
        os.write(pipe.fileno(), data)


class Stuck:
    """A check that a pipe stays full for a while, because nobody reads it."""

    def __init__(self, pipe):
        self.pipe = pipe
        self.times = 0

    def __call__(self):
        (waiting,) = struct.unpack("i", fcntl.ioctl(self.pipe, termios.FIONREAD, b"\0" * 4))
        self.times = self.times + 1 if waiting >= 60_000 else 0
        return self.times > 20
