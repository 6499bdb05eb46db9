"""What the parent and a child say to each other: frames of msgpack, each after its length.

The parent sends Setup once, and then Ask. Before it asks about a material that the child does not
hold, it sends Load, the Blocks, and End. Loaded tells what the child has dropped to make room, so
that the parent always knows what the child holds. After Found come the rows, as they are.
"""

from __future__ import annotations

from typing import IO, Literal, NamedTuple, TypeVar

import msgspec

from penstock.core.model.questions import Failure, Limits, Question, Shape, WorkerAnswer

OUT_OF_MEMORY = 77  # the child's exit status
LOADING_FACTOR = 4  # loading may take this many times what a question may
LENGTH_BYTES = 8

# What a material is loaded into.
Form = Literal["table", "document"]


class Key(NamedTuple):
    """The name of a loaded material, on both sides."""

    form: Form
    material: str


def key_of(question: Question) -> Key:
    """Return the key of what a question is asked of: of a document in jq, else of a table."""
    return Key("document" if question.language == "jq" else "table", question.key)


class PipeFrame(msgspec.Struct, frozen=True, tag=True):
    pass


# From the parent


class Setup(PipeFrame, frozen=True):
    limits: Limits


class AskFrame(PipeFrame, frozen=True):
    question: Question


class Load(PipeFrame, frozen=True):
    key: Key
    shape: Shape
    prefix: bytes
    suffix: bytes


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
    """The rows follow, each of as many bytes as is said here. They are in no frame, which would hold
    them a second time on both sides; and msgspec crashes where it gets no memory for that."""

    sizes: tuple[int, ...]
    single: bool
    truncated: bool


class RefusedFrame(PipeFrame, frozen=True):
    failure: Failure


Request = Setup | AskFrame | Load | Block | End
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
    """The parent's next frame. EOFError when it has gone, even in the middle of one."""
    return _receive(stream, _requests)


def receive_response(stream: IO[bytes]) -> Response:
    """The child's next frame. EOFError when it has gone, even in the middle of one."""
    return _receive(stream, _responses)


def receive_rows(stream: IO[bytes], found: Found) -> WorkerAnswer:
    """The answer that begins with `found`. EOFError as above."""
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
