"""The frames that parent and child exchange: msgpack, each preceded by its length.

The parent sends Setup once, then one AskFrame per question. Before a question about a material
that the child does not hold, the parent sends Load, the Blocks, and End. LoadedFrame lists what
the child dropped to make room, so the parent always knows what the child holds. The raw rows of an
answer follow Found.
"""

from __future__ import annotations

from typing import IO, Literal, NamedTuple, TypeVar

import msgspec

from penstock.core.model.questions import Failure, Limits, Question, Shape, WorkerAnswer

OUT_OF_MEMORY = 77  # the child's exit status
LOADING_FACTOR = 4  # Loading may take this many times as long as a question.
LENGTH_BYTES = 8

# The form into which the child loads a material.
Form = Literal["table", "document"]


class Key(NamedTuple):
    """The name of a loaded material, the same in parent and child."""

    form: Form
    material: str


def key_of(question: Question) -> Key:
    """Return the key of the question's material: a document for jq, else a table."""
    return Key("document" if question.language == "jq" else "table", question.key)


class PipeFrame(msgspec.Struct, frozen=True, tag=True):
    pass


# From the parent


class Setup(PipeFrame, frozen=True):
    limits: Limits


class AskFrame(PipeFrame, frozen=True):
    question: Question


class Load(PipeFrame, frozen=True):
    """The start of a material, whose blocks follow."""

    key: Key
    shape: Shape
    prefix: bytes
    suffix: bytes
    table: str


class BesideFrame(PipeFrame, frozen=True):
    """The start of a further table of the same material. Its blocks follow."""

    table: str
    shape: Shape


class Block(PipeFrame, frozen=True):
    rows: bytes


class End(PipeFrame, frozen=True):
    pass


# From the child


class Ready(PipeFrame, frozen=True):
    pass


class LoadedFrame(PipeFrame, frozen=True):
    dropped: tuple[Key, ...]


class Found(PipeFrame, frozen=True):
    """The header of an answer, whose rows follow as raw bytes.

    A frame would hold the rows a second time in both processes, and msgspec crashes if it gets no
    memory for them.
    """

    sizes: tuple[int, ...]  # of the rows, in bytes
    single: bool
    truncated: bool


class RefusedFrame(PipeFrame, frozen=True):
    failure: Failure


Request = Setup | AskFrame | Load | BesideFrame | Block | End
Response = Ready | LoadedFrame | Found | RefusedFrame

_F = TypeVar("_F")
_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_responses: msgspec.msgpack.Decoder[Response] = msgspec.msgpack.Decoder(Response)


def send(stream: IO[bytes], frame: PipeFrame) -> None:
    body = msgspec.msgpack.encode(frame)
    stream.write(len(body).to_bytes(LENGTH_BYTES, "big"))
    stream.write(body)
    stream.flush()


def send_answer(stream: IO[bytes], answer: WorkerAnswer) -> None:
    sizes = tuple(map(len, answer.rows))
    send(stream, Found(sizes, answer.single, answer.truncated))
    for row in answer.rows:
        stream.write(row)
    stream.flush()


def receive_request(stream: IO[bytes]) -> Request:
    """Return the parent's next frame. Raise EOFError if the parent ends, even within a frame."""
    return _receive(stream, _requests)


def receive_response(stream: IO[bytes]) -> Response:
    """Return the child's next frame. Raise EOFError if the child ends, even within a frame."""
    return _receive(stream, _responses)


def receive_rows(stream: IO[bytes], found: Found) -> WorkerAnswer:
    """Return the answer that begins with `found`. Raise EOFError if the child ends."""
    rows = tuple(_exactly(stream, size) for size in found.sizes)
    return WorkerAnswer(rows, found.single, found.truncated)


def _receive(stream: IO[bytes], decoder: msgspec.msgpack.Decoder[_F]) -> _F:
    length = int.from_bytes(_exactly(stream, LENGTH_BYTES), "big")
    return decoder.decode(_exactly(stream, length))


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data
