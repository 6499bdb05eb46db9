"""Plain English: docstrings start with a verb or a noun, and people are not pronouns."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHON = [
    path
    for folder in ("src", "tests", "benchmarks", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "node_modules" not in path.parts
]
SOURCES = [path for path in PYTHON if path.is_relative_to(ROOT / "src")]
AT_THE_ROOT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*AT_THE_ROOT, *sorted((ROOT / "docs").rglob("*.md"))]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

PRONOUN = re.compile(
    r"(What|Whatever|Who|Whom|Whose|Whoever|Which|Whichever|That|Of|It|They|He|She)\b"
)
PERSON = re.compile(r"\b(he|him|his|himself|whoever|whomever|somebody)\b", re.IGNORECASE)
QUOTED = re.compile(r"`[^`]*`")


def docstrings(source):
    """Yield the line and the text of every docstring of a module."""
    for node in ast.walk(ast.parse(source)):
        text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
        if text:
            yield getattr(node, "lineno", 1), text


def starting_with_a_pronoun(source):
    return [line for line, text in docstrings(source) if PRONOUN.match(text)]


def naming_people_by_pronouns(source):
    """Return the lines of a page that do, apart from code."""
    lines = enumerate(source.splitlines(), start=1)
    return [number for number, line in lines if PERSON.search(QUOTED.sub("", line))]


def naming_people_in_code(source):
    """Return the lines of a module whose comments or docstrings do."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [(one.start[0], one.string) for one in tokens if one.type == tokenize.COMMENT]
    texts = [*comments, *docstrings(source)]
    return [line for line, text in texts if PERSON.search(QUOTED.sub("", text))]


def naming_people_in_messages(source):
    """Return the lines of a module whose texts do: users and agents read them."""
    constants = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    texts = [node for node in constants if isinstance(node.value, str)]
    return [node.lineno for node in texts if PERSON.search(QUOTED.sub("", node.value))]


def found(paths, check):
    return [
        f"{path.relative_to(ROOT)}:{line}"
        for path in paths
        for line in check(path.read_text("utf-8"))
    ]


def test_docstrings_start_with_a_verb_or_a_noun():
    assert not found(PYTHON, starting_with_a_pronoun)


def test_people_are_the_caller_the_user_or_you():
    assert not found(PAGES, naming_people_by_pronouns)
    assert not found(PYTHON, naming_people_in_code)
    assert not found(SOURCES, naming_people_in_messages)


def test_a_docstring_that_starts_with_a_pronoun_is_found():
    source = '"""A module."""\n\n\ndef f():\n    """What it does."""\n'
    assert starting_with_a_pronoun(source) == [4]
    assert not starting_with_a_pronoun('def f():\n    """Whether it does."""\n')


def test_a_pronoun_for_a_person_is_found():
    one, other = "Who" + "ever", "h" + "e"
    assert naming_people_by_pronouns(f"{one} asks\nthe caller asks\nand {other} waits") == [1, 3]
    assert naming_people_in_code(f'"""{one} asks."""\nx = 1  # {other} waits\n') == [2, 1]
    assert naming_people_in_messages(f'say("Ask {one}.")\n') == [1]
