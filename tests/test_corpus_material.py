"""The recorded results themselves: complete, within their size, and without paths of a machine."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import tomllib
from base64 import b64decode
from collections import Counter
from pathlib import Path

import pytest

from corpus import RECORDED, load, recordings

HERE = Path(__file__).parent
ALL = list(recordings())
MOST_BYTES = 4_000_000
LEAST_RECORDINGS = 25
MODES = {"sql", "search", "paginated", "full"}
# The base64 of a picture may contain anything.
DATA = re.compile(r'"data": "[^"]*"')
# Only folders of the material are named: /tmp/material, and the places inside it.
MACHINE = re.compile(
    r"/(?:root|home|work|Users|opt|usr|var)/|/tmp/(?!material/|material\b(?!-))|\.catalogues"
    r"|site-packages|node_modules|registry\.npmjs|pypi\.org"
)


@pytest.mark.parametrize("recording", ALL, ids=lambda one: one.name)
def test_a_recording_is_complete(recording):
    assert re.fullmatch(r"\S+ [\d.]+[a-z\d]*", recording.server)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", recording.protocol_version)
    assert recording.format
    assert recording.result["content"]
    assert not recording.result.get("isError")


@pytest.mark.parametrize("recording", ALL, ids=lambda one: one.name)
def test_a_recording_has_questions_with_answers(recording):
    # There is little to ask of a picture.
    assert len(recording.questions) >= (1 if "image" in recording.format else 2)
    for question in recording.questions:
        assert question.ask.endswith("?")
        assert question.mode in MODES
        assert bool(question.request.get("query")) == (question.mode in {"sql", "search"})
        assert answers(question)


def answers(question):
    """Return whether the answer has the form that its mode asks for, and is not empty."""
    match question.mode:
        case "sql":
            return all(isinstance(row, dict) for row in question.answer) and question.answer != []
        case "search":
            return question.answer["total"] > 0
        case "paginated":
            return question.answer["total"] >= len(question.answer["items"]) > 0
        case _:
            return question.answer["bytes"] > 0 and len(question.answer["sha256"]) == 64


@pytest.mark.parametrize("recording", ALL, ids=lambda one: one.name)
def test_answers_agree_with_the_recorded_text(recording):
    text = "\n".join(block.get("text", "") for block in recording.result["content"])
    for question in recording.questions:
        if question.mode == "search":
            assert question.answer["total"] in found(text, question.request["query"])
        elif question.mode == "full":
            assert question.answer["sha256"] == hashlib.sha256(exact(recording)).hexdigest()


def found(text, part):
    """Return the number of lines with a part, and the number of its matches."""
    part = part.lower()
    return sum(part in line for line in text.lower().splitlines()), text.lower().count(part)


def exact(recording):
    """Return the bytes of the only block: a text, or a picture."""
    (block,) = recording.result["content"]
    return block["text"].encode() if block["type"] == "text" else b64decode(block["data"])


@pytest.mark.parametrize("recording", ALL, ids=lambda one: one.name)
def test_a_recording_names_no_machine(recording):
    text = DATA.sub("", recording.path.read_text("utf-8"))
    assert not MACHINE.findall(text)
    assert not re.search(rf"\b{re.escape(platform.node())}\b", text)


def test_a_path_of_a_machine_is_found():
    for path in ("/root/x", "/tmp/cs-1/home", "/tmp/material-home/x", "x/node_modules/y"):  # noqa: S108
        assert MACHINE.search(path)
    assert not MACHINE.search('"/tmp/material/orders.csv" and "/tmp/material"')


def test_the_corpus_is_small_and_wide():
    assert sum(path.stat().st_size for path in RECORDED.rglob("*.json")) < MOST_BYTES
    assert len(ALL) >= LEAST_RECORDINGS
    assert len({recording.server for recording in ALL}) >= 10
    assert len({recording.format for recording in ALL}) >= 15


def test_most_recordings_are_above_the_usual_budget():
    sizes = [len(json.dumps(recording.result)) for recording in ALL]
    assert sum(size > 25_000 for size in sizes) > 0.7 * len(sizes)


def test_every_pinned_server_was_recorded_in_its_version():
    pins = tomllib.loads((HERE / "corpus" / "servers.toml").read_text("utf-8"))
    recorded = {recording.path.parent.name: recording.server for recording in ALL}
    assert recorded == {name: f"{pin['package']} {pin['version']}" for name, pin in pins.items()}


def test_every_mode_is_asked():
    modes = Counter(question.mode for recording in ALL for question in recording.questions)
    assert set(modes) == MODES


def test_a_recording_that_is_no_recording_is_refused(tmp_path):
    (tmp_path / "x.json").write_text('{"server": "x 1"}', encoding="utf-8")
    with pytest.raises(KeyError):
        load(tmp_path / "x.json")
