"""One root error. Each error says what is wrong and what to do next."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from penstock import errors
from penstock.errors import (
    InvalidResult,
    InvalidSetting,
    MissingExtra,
    PenstockError,
    how_to_install,
)

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]

SOURCES = {".py", ".html", ".js", ".txt"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_one_root_and_a_word_for_each(kind):
    assert issubclass(kind, PenstockError)
    assert kind.__doc__
    assert kind.next_step


@pytest.mark.parametrize("kind", [k for k in KINDS if issubclass(k, errors.StoreError)])
def test_the_docstring_is_the_message(kind):
    assert kind().message == kind.__doc__
    assert str(kind()) == f"{kind.__doc__} {kind.next_step}"
    assert kind("other", next_step="do").next_step == "do"


def test_evidence_is_kept():
    assert InvalidSetting("budget", 7, "too small").value == 7
    assert InvalidResult("no form", path="/a").path == "/a"
    assert MissingExtra("redis", "A store").next_step == how_to_install("redis")


@pytest.mark.parametrize("extra", ["", "redis"])
def test_penstock_is_installed_from_a_clone(extra):
    wanted = f".[{extra}]" if extra else "."
    assert how_to_install(extra).endswith(f'in a clone, pip install "{wanted}"')


INSTALLED_BY_NAME = re.compile(r"""install ["']?penstock\b|penstock\[""")


@pytest.mark.parametrize("words", ["pip install penstock", "install 'penstock'", "penstock[redis]"])
def test_the_search_finds_words(words):
    assert INSTALLED_BY_NAME.search(words)


def test_no_message_has_penstock_installed_from_an_index():
    """The name on PyPI belongs to another project. `how_to_install` has the right words."""
    package = Path(errors.__file__).parent
    assert [
        f"{path.relative_to(package)}: {found[0]}"
        for path in sorted(package.rglob("*"))
        if path.suffix in SOURCES
        for found in INSTALLED_BY_NAME.finditer(path.read_text("utf-8"))
    ] == []
