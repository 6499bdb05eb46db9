"""One root error. Each error says what is wrong and what to do next."""

from __future__ import annotations

import inspect

import pytest

from penstock import errors
from penstock.errors import InvalidResult, InvalidSetting, MissingExtra, PenstockError

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]


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
    assert "penstock[redis]" in MissingExtra("redis", "A store").next_step
