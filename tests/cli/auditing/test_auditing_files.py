"""Lists that are read from files, and descriptions that are written to files."""

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.cli.auditing.extraction import CannotExtract, extract, merged
from penstock.cli.auditing.filenames import file_names, is_safe
from penstock.cli.auditing.sources import NoToolList, saved_tools
from penstock.disclosure import Catalogue
from penstock.errors import PenstockError
from penstock.relay.tool_lists import NotListed

TOOLS = b'[{"name": "a", "x": 1.10, "n": 12345678901234567890123}, {"name": "b"}]'

# -- lists -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        TOOLS,
        b'{"tools":' + TOOLS + b"}",
        b'{"tools":' + TOOLS + b',"ttlMs":5,"nextCursor":null}',
        b'{"jsonrpc":"2.0","id":1,"result":{"tools":' + TOOLS + b"}}",
        b"\xef\xbb\xbf \n" + TOOLS,
        TOOLS.decode().encode("utf-16"),
    ],
    ids=["bare", "result", "more", "response", "mark", "utf-16"],
)
def test_every_way_a_list_is_saved(data):
    listed, is_whole = saved_tools(data, "list.json")
    assert listed.tools == (b'{"name":"a","x":1.10,"n":12345678901234567890123}', b'{"name":"b"}')
    assert is_whole


def test_one_page_of_several_is_seen():
    assert saved_tools(b'{"tools":[],"nextCursor":"2"}', "f")[1] is False


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "f is not JSON"),
        (b"tools:", "f is not JSON"),
        (b"\xff\xff", "f is not JSON"),
        (b"[" * 100_000, "f is not JSON"),
        (b"7", "holds no list"),
        (b"{}", "holds no list"),
        (b'{"tools":{}}', "holds no list"),
        (b'{"result":7}', "holds no list"),
        (b'{"id":1,"error":{"code":-32601,"message":"no"}}', "is an error response"),
    ],
)
def test_what_is_no_list_is_refused(data, told):
    with pytest.raises((NoToolList, NotListed)) as caught:
        saved_tools(data, "f")
    assert told in caught.value.message
    assert caught.value.next_step != PenstockError.next_step


# -- file names --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "get_issue", "github.create-issue", "_x", "A1", "console"])
def test_a_plain_name_is_the_files(name):
    assert file_names([name], []) == {name: f"{name}.json"}


BAD = ["../x", "a/b", "/etc/passwd", "..", ".", ".hidden", "a\\b", "C:x", "CON", "con.txt", "lpt1",
       "a b", "é", "", " ", "-rf", "a.", "x" * 300, "a\0b", "a\nb", "日本", "a\ud800"]  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_any_other_is_spelled_safely(name):
    (file,) = file_names([name], []).values()
    assert is_safe(file.removesuffix(".json"))
    assert file == file_names([name], [])[name], "the same at every time"


def test_names_that_differ_by_case_get_two_files():
    files = file_names(["Get", "get", "GET"], [])
    assert len({file.casefold() for file in files.values()}) == 3
    assert files["Get"] == "Get.json"


@settings(max_examples=300)
@given(st.lists(st.text(max_size=12) | st.sampled_from(BAD), unique=True, max_size=20))
def test_no_two_tools_share_a_file(names):
    files = file_names(names, ["A.json", "tool-e3b0c442.json"])
    assert len({file.casefold() for file in files.values()}) == len(names)
    assert all(is_safe(file.removesuffix(".json")) for file in files.values())
    assert not {"a.json", "tool-e3b0c442.json"} & {file.casefold() for file in files.values()}


# -- descriptions ------------------------------------------------------------------------------


def inside(folder):
    return sorted(path.name for path in folder.iterdir())


def catalogue(*tools):
    return Catalogue.from_tools([json.dumps(tool).encode() for tool in tools])


def tool(name="find", **more):
    return {"name": name, "description": "Finds.", "inputSchema": {"type": "object"}, **more}


def test_what_is_written_is_read_back(tmp_path):
    tools = [tool(name, title="T", extra={"a": [1]}) for name in (*BAD[:19], "plain") if name]
    given = catalogue(*tools)
    done = extract(given, tmp_path / "new" / "folder")
    assert len(done.written) == len(given)
    back = Catalogue.from_folder(tmp_path / "new" / "folder")
    assert sorted(back.names) == sorted(given.names)
    for name in given.names:
        assert {**back.get(name).listed, **back.get(name).more} == given.get(name).listed
    assert inside(tmp_path) == ["new"], "nothing beside the folder"


def test_numbers_keys_and_their_order_stay(tmp_path):
    raw = b'{"zz":1.10,"name":"a","x":12345678901234567890123,"description":"\\u00e9","y":1e2}'
    extract(Catalogue.from_tools([raw]), tmp_path)
    text = (tmp_path / "a.json").read_bytes()
    squeezed = b"".join(line.strip() for line in text.splitlines()).replace(b'": ', b'":')
    assert squeezed == raw


def test_lone_surrogates_and_depth_are_written_too(tmp_path):
    deep = b'{"name":"deep","x":' + b"[" * 900 + b"]" * 900 + b"}"
    lone = b'{"name":"lone","description":"\\ud800"}'
    extract(Catalogue.from_tools([lone]), tmp_path)
    assert b"\\ud800" in (tmp_path / "lone.json").read_bytes()
    extract(Catalogue.from_tools([deep]), tmp_path)
    assert b"[" in (tmp_path / "deep.json").read_bytes()


def test_a_file_that_is_there_stays(tmp_path):
    (tmp_path / "find.json").write_text('{"name": "find", "examples": [1]}')
    done = extract(catalogue(tool(), tool("other")), tmp_path)
    assert (done.written, done.updated, done.kept) == (("other.json",), (), ("find.json",))
    assert (tmp_path / "find.json").read_text() == '{"name": "find", "examples": [1]}'


def test_force_replaces_what_the_server_says_and_nothing_else(tmp_path):
    file = tmp_path / "find.json"
    file.write_text(
        '{"usage_guidance": "Ask first.", "name": "find", "description": "Old.", "examples": [1.10]}'
    )
    done = extract(catalogue(tool()), tmp_path, replaces=True)
    assert (done.updated, done.kept) == (("find.json",), ())
    assert b"1.10" in file.read_bytes()
    assert list(json.loads(file.read_bytes()).items()) == [
        ("usage_guidance", "Ask first."),
        ("name", "find"),
        ("description", "Finds."),
        ("examples", [1.1]),
        ("inputSchema", {"type": "object"}),
    ]
    before = file.stat().st_mtime_ns
    again = extract(catalogue(tool()), tmp_path, replaces=True)
    assert (again.updated, again.kept) == ((), ("find.json",))
    assert file.stat().st_mtime_ns == before
    assert inside(tmp_path) == ["find.json"]


def test_the_name_inside_decides_which_file_is_a_tools(tmp_path):
    (tmp_path / "mine.json").write_text('{"name": "find", "examples": [1]}')
    (tmp_path / "other.json").write_text('{"name": "not_other"}')
    done = extract(catalogue(tool(), tool("other")), tmp_path)
    assert done.kept == ("mine.json",)
    assert done.written[0].startswith("other-")
    assert Catalogue.from_folder(tmp_path).names.count("other") == 1


def test_a_file_without_a_name_is_of_the_tool_it_is_called_after(tmp_path):
    (tmp_path / "find.json").write_text('{"examples": [1]}')
    assert extract(catalogue(tool()), tmp_path, replaces=True).updated == ("find.json",)
    assert json.loads((tmp_path / "find.json").read_bytes())["name"] == "find"


def test_a_slip_in_a_file_costs_nothing(tmp_path):
    (tmp_path / "find.json").write_text('{"name": "find", "examples": [1],}')
    with pytest.raises(CannotExtract, match="cannot be read as JSON"):
        extract(catalogue(tool(), tool("other")), tmp_path, replaces=True)
    assert (tmp_path / "find.json").read_text() == '{"name": "find", "examples": [1],}'
    assert inside(tmp_path) == ["find.json"], "nothing was written"


def test_a_link_is_not_followed(tmp_path):
    """Neither a dangling link nor a link to a file elsewhere is followed."""
    folder, secret = tmp_path / "d", tmp_path / "secret.json"
    folder.mkdir()
    secret.write_text('{"name": "find"}')
    (folder / "find.json").symlink_to(secret)
    (folder / "other.json").symlink_to(tmp_path / "nowhere")
    extract(catalogue(tool(), tool("other")), folder, replaces=True)
    assert secret.read_text() == '{"name": "find"}'
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotExtract, match="File exists"):
        extract(catalogue(tool()), tmp_path / "file")


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(CannotExtract, match="Permission denied"):
            extract(catalogue(tool()), tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_on_a_file_system_that_cannot_be_written():
    with pytest.raises(CannotExtract):
        extract(catalogue(tool()), Path("/proc/penstock"))


def test_what_cannot_be_read_back_is_told(tmp_path):
    done = extract(catalogue(tool(description="x" * 5_100_000), tool("b")), tmp_path)
    assert done.too_large == ("find.json",)


def test_merging_keeps_bytes():
    assert merged(b'{"a":1.0,"b":2}', b'{"c":3.00,"a":9}') == b'{"c":3.00,"a":1.0,"b":2}'
