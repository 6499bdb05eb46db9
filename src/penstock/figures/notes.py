"""Notes: what a process that serves clients tells the clerk, as frames on a pipe.

A note is a line of JSON, followed by the bytes of two messages. The clerk counts their tokens and
forgets them; they are never written to a file. An empty line asks the clerk to save.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TypeAlias

import msgspec

from penstock.core.model.reply import ORDINARY, Showing
from penstock.figures.rows import writable
from penstock.wire.answered import Answered, AnswerKind


class Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer without its messages, which are only counted by their bytes here."""

    kind: AnswerKind
    tool: str = ""
    is_known: bool | None = True
    is_held: bool = False
    has_widget: bool = False
    has_apps: bool = False
    form: str = ""
    server: str = ""
    showing: Showing = ORDINARY
    raw_bytes: int = 0
    sent_bytes: int = 0
    is_same: bool = False  # upstream's message went to the client unchanged
    # The messages do not follow: too many were waiting. The clerk estimates their tokens.
    is_bare: bool = False

    @classmethod
    def about(cls, answer: Answered, *, is_bare: bool = False) -> Note:
        return cls(
            answer.kind,
            writable(answer.tool),
            answer.is_known,
            answer.is_held,
            answer.has_widget,
            answer.has_apps,
            answer.form,
            writable(answer.server),
            answer.showing,
            len(answer.raw),
            len(answer.sent),
            answer.raw is answer.sent,
            is_bare,
        )


SAVE = b"\n"
# A note and its messages, or None for `SAVE`.
NoteFrame: TypeAlias = tuple[Note, bytes, bytes] | None
_NOTE = msgspec.json.Decoder(Note)


def frame(answer: Answered | Note) -> list[bytes]:
    """Return an answer, or a note without messages, as parts to write."""
    if isinstance(answer, Note):
        return [msgspec.json.encode(answer) + b"\n"]
    note = Note.about(answer)
    head = msgspec.json.encode(note) + b"\n"
    return [head, answer.raw] if note.is_same else [head, answer.raw, answer.sent]


def read_frames(stream: IO[bytes]) -> Iterator[NoteFrame]:
    """Yield each note with its messages, and None where the notes are to be saved. End at the end
    of the stream, also within a frame: the other process may have been killed. Raise
    `msgspec.DecodeError` for a note that cannot be read."""
    while (line := stream.readline()).endswith(b"\n"):
        if line == SAVE:
            yield None
            continue
        note = _NOTE.decode(line)
        if note.is_bare:
            yield note, b"", b""
            continue
        raw = stream.read(note.raw_bytes)
        sent = raw if note.is_same else stream.read(note.sent_bytes)
        if len(raw) < note.raw_bytes or len(sent) < note.sent_bytes:
            return
        yield note, raw, sent
