"""Secrets in command lines and messages: how to recognise them, and how to show the rest.

A secret is recognised by the name before it (`--token hunter2`, `PASSWORD=hunter2`), by a prefix
that a service gives to its tokens (`ghp_…`), or because it looks random. Paths and names of packages
do not count as random. Anything that only looks like a secret is hidden too, which does little harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from penstock.relay.secret_urls import HIDDEN, SECRET_NAME, shown_url
from penstock.relay.target import Target

_NAME: Final = rf"[\w-]*(?i:{SECRET_NAME.pattern})[\w-]*"
_SECRET_OPTION: Final = re.compile(rf"--?{_NAME}")
# A name of a secret, and the sign before its value: `TOKEN=`, `"apiKey": "`, `Authorization: `.
_NAMED: Final = re.compile(rf"{_NAME}[\"']?\s*[:=]\s*[\"']?(?=[^\s\"'])")
_URL: Final = re.compile(r"[A-Za-z][\w+.-]*://[^\s\"'<>]+")
# A part of a text that may be a secret. A path is one part, and so is a package with its version.
_PART: Final = re.compile(r"[^\s\"'`=,;:&{}\[\]()<>|]+")
# Prefixes of tokens. Those of the second line also begin names of packages, such as `pypi-search`.
_PREFIXED: Final = re.compile(
    r"(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|xapp-|A[KS]IA|AIza|eyJ|shp[a-z]{2}_|dop_v1_|sk-ant-|sk-proj-)[\w.-]{8,}"
    r"|(?:sk[-_]|rk_|pk_|npm_|pypi-|hf_|gsk_|ntn_|figd_|lin_api_|tvly-|whsec_|ya29\.|SG\.)(?=[\w.-]*[0-9A-Z])[\w-][\w.-]{11,}"
)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_RUN: Final = re.compile(r"[A-Za-z0-9]{16,}")  # random texts have runs as long as this
# Places where the kind of character changes, as it does all the time in a random text.
_CHANGE: Final = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_FEWEST_DIGITS: Final = 3
_CHARS_A_CHANGE: Final = 5
_SHORTEST: Final = 6  # shorter secrets occur in other words too


def shown_words(words: Sequence[str]) -> list[str]:
    """Return the words of a command line without the secrets in them."""
    return [HIDDEN if is_value else shown_text(word) for word, is_value in _marked(words)]


def shown_text(text: str) -> str:
    """Return a text without the values of secret names, and without parts that look secret."""
    found = _NAMED.search(plain := _URL.sub(lambda url: shown_url(url[0]), text))
    if found is None:
        return without_secrets(plain)
    return without_secrets(plain[: found.start()]) + found[0] + HIDDEN


def secrets_of(target: Target) -> list[str]:
    """Return the secrets that a target holds. A server may repeat them in an error."""
    url = () if target.url == target.shown else (target.url,)
    return [*url, *(value for _, value in target.headers), *_values(target.command)]


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """Hide these secrets in a text, and the parts that look secret."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, HIDDEN)
    return _PART.sub(lambda part: HIDDEN if _looks_secret(part[0]) else part[0], text)


def _values(words: Sequence[str]) -> Iterator[str]:
    """Yield the values of secret names in a command line."""
    for word, is_value in _marked(words):
        named = _NAMED.search(word)
        if is_value or named:
            yield word[named.end() :] if named else word


def _marked(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield each word, and whether it is the value of an option that is named like a secret."""
    before = ""
    for word in words:
        yield word, bool(_SECRET_OPTION.fullmatch(before)) and not word.startswith("-")
        before = word


def _looks_secret(part: str) -> bool:
    if part == HIDDEN or "/" in part or "\\" in part:
        return False
    known = _PREFIXED.search(part) or _UUID.fullmatch(part)
    return bool(known) or any(map(_is_random, _RUN.findall(part)))


def _is_random(run: str) -> bool:
    digits = sum(map(str.isdigit, run))
    changes = len(_CHANGE.findall(run))
    return digits >= _FEWEST_DIGITS or changes * _CHARS_A_CHANGE >= len(run)
