"""Catalogues: from a list, from a folder, and one laid over the other."""

import json
import logging

import pytest

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.description_files import LARGEST_FILE
from penstock.errors import InvalidSetting

TOOLS = [
    {"name": "read", "description": "Read it.", "inputSchema": {"type": "object"}},
    {"name": "write", "description": "Write it.", "annotations": {"readOnlyHint": False}},
]


def written(folder, name, content):
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text)


def test_a_list_keeps_its_order_and_its_bytes():
    raw = b'{"name": "z",  "description":"Caf\\u00e9", "vendor": 1.50}'
    catalogue = Catalogue.from_tools([raw, *TOOLS])
    assert catalogue.names == ["z", "read", "write"]
    assert catalogue.get("z").raw == b'{"name":"z","description":"Caf\\u00e9","vendor":1.50}'
    assert catalogue.get("z").description == "Café"
    assert catalogue.get("nobody") is None


def test_what_has_no_name_is_left_out():
    assert len(Catalogue.from_tools([{"description": "who?"}, {"name": 7}, {"name": ""}])) == 0


def test_a_tool_that_says_nothing_may_write():
    catalogue = Catalogue.from_tools([{"name": "a"}, {"name": "b", "annotations": []}])
    assert not any(tool.is_read_only for tool in catalogue)
    assert catalogue.get("b").schema == {}
    assert catalogue.get("a").description == ""


def test_a_folder_in_the_patterns_own_format(tmp_path):
    written(
        tmp_path,
        "read.json",
        {
            "name": "read",
            "description": "Reads.",
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
            "examples": [{"input": {"path": "a"}}],
            "usage_guidance": {"important_notes": ["slow"]},
            "error_guidance": {},
            "vendor_note": "kept",
        },
    )
    (tool,) = Catalogue.from_folder(tmp_path)
    full = json.loads(tool.full)
    assert full["examples"] == [{"input": {"path": "a"}}]
    assert full["usage_guidance"] == {"important_notes": ["slow"]}
    assert full["vendor_note"] == "kept"
    assert "examples" not in tool.listed


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{nonsense", "skipping"),
        ("[1, 2]", "not a JSON object"),
        ({"name": 7}, "not text"),
        ("[" * 5_000, "skipping"),
    ],
)
def test_a_file_that_cannot_be_used_is_skipped_and_logged(tmp_path, caplog, content, told):
    written(tmp_path, "bad.json", content)
    written(tmp_path, "good.json", {"name": "good"})
    with caplog.at_level(logging.WARNING, "penstock"):
        assert Catalogue.from_folder(tmp_path).names == ["good"]
    assert told in caplog.text
    assert str(tmp_path) not in caplog.text


def test_a_huge_file_is_not_read(tmp_path, caplog):
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(LARGEST_FILE * 10)
    assert len(Catalogue.from_folder(tmp_path)) == 0
    assert "larger than" in caplog.text


def test_the_name_inside_counts(tmp_path, caplog):
    written(tmp_path, "old_name.json", {"name": "new_name"})
    written(tmp_path, "plain.json", {"description": "no name inside"})
    with caplog.at_level(logging.WARNING, "penstock"):
        assert Catalogue.from_folder(tmp_path).names == ["new_name", "plain"]
    assert "old_name.json describes the tool new_name" in caplog.text


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InvalidSetting, match="no such folder") as caught:
        Catalogue.from_folder(tmp_path / "nowhere")
    assert str(tmp_path) not in str(caught.value)


def test_files_laid_over_a_list(tmp_path, caplog):
    written(
        tmp_path,
        "read.json",
        {"description": "Better words.", "inputSchema": {"type": "object"}, "examples": [1]},
    )
    written(tmp_path, "stranger.json", {"name": "stranger"})
    server = Catalogue.from_tools(TOOLS)
    with caplog.at_level(logging.WARNING, "penstock"):
        merged = Catalogue.from_folder(tmp_path).laid_over(server)
    assert "stranger" in caplog.text
    assert merged.names == server.names
    assert merged.get("read").description == "Better words."
    assert json.loads(merged.get("read").full)["examples"] == [1]
    assert merged.get("write").raw == server.get("write").raw


@pytest.mark.parametrize("asked", ["raed", "READ", "reads"])
def test_names_that_may_have_been_meant(asked):
    assert Catalogue.from_tools(TOOLS).nearest(asked)[0] == "read"


def test_the_digest_changes_with_any_tool():
    one = Catalogue.from_tools(TOOLS)
    assert one.digest == Catalogue.from_tools(TOOLS).digest
    assert one.digest != Catalogue.from_tools(TOOLS[:1]).digest
