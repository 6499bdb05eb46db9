"""Questions in SQL and jq, what they are asked about, and what comes back. Values only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 5.0
    memory: int = 256_000_000
    rows: int = 100_000
    program_chars: int = 10_000


@dataclass(frozen=True, slots=True)
class Material:
    """What a question is asked about: rows of JSON or text, many of them in a block.

    Rows in a block are joined with a newline. A row of shape "members" is `"key":value`. The JSON
    document is the prefix, the rows joined with commas, and the suffix.
    """

    shape: Literal["rows", "members", "lines", "value"]
    prefix: bytes
    suffix: bytes
    blocks: Iterable[bytes]


@dataclass(frozen=True, slots=True)
class Question:
    key: str
    language: Literal["sql", "jq"]
    program: str


@dataclass(frozen=True, slots=True)
class Answer:
    rows: tuple[bytes, ...]
    single: bool
    truncated: bool


@dataclass(frozen=True, slots=True)
class Failure:
    error: str
    next_step: str
