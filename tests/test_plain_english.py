"""Plain English: docstrings start with a verb or a noun, and people are not pronouns."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHON = [
    path
    for folder in ("src", "tests", "benchmarks", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "node_modules" not in path.parts
]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

PRONOUN = re.compile(
    r"(What|Whatever|Who|Whom|Whose|Whoever|Which|Whichever|That|Of|It|They|He|She)\b"
)
PERSON = re.compile(r"\b(he|him|his|himself|whoever|whomever|somebody)\b", re.IGNORECASE)
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")


def docstrings(source):
    """Yield the line and the text of every docstring of a module."""
    for node in ast.walk(ast.parse(source)):
        text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
        if text:
            yield getattr(node, "lineno", 1), text


def starting_with_a_pronoun(source):
    return [line for line, text in docstrings(source) if PRONOUN.match(text)]


def naming_people_by_pronouns(source):
    """Return the lines with such a pronoun outside of quotes and code."""
    lines = enumerate(source.splitlines(), start=1)
    return [number for number, line in lines if PERSON.search(QUOTED.sub("", line))]


def found(paths, check):
    return [
        f"{path.relative_to(ROOT)}:{line}" for path in paths for line in check(path.read_text())
    ]


def test_docstrings_start_with_a_verb_or_a_noun():
    assert not found(PYTHON, starting_with_a_pronoun)


def test_people_are_the_caller_the_user_or_you():
    assert not found([*PYTHON, *PAGES], naming_people_by_pronouns)


def test_a_docstring_that_starts_with_a_pronoun_is_found():
    source = '"""A module."""\n\n\ndef f():\n    """What it does."""\n'
    assert starting_with_a_pronoun(source) == [4]
    assert not starting_with_a_pronoun('def f():\n    """Whether it does."""\n')


def test_a_pronoun_for_a_person_is_found():
    assert naming_people_by_pronouns("Whoever asks\nthe caller asks\nand he waits") == [1, 3]
