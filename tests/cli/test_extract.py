"""`penstock extract` as a real process: it writes files that users edit, and reads them back."""

import json
import subprocess
import sys

import pytest
from environments import clean_environment
from relay_processes import PATIENCE, SERVERS

from penstock.disclosure import Catalogue

SDK = [sys.executable, str(SERVERS / "sdk_server.py")]
LISTER = [sys.executable, str(SERVERS / "lister_server.py")]
ODD = ["../x", "a/b", "CON", "get", "Get", ".", "x" * 300, "naïve", "plain"]


def extract(*arguments, data=""):
    return subprocess.run(
        [sys.executable, "-m", "penstock", "extract", *map(str, arguments)],
        capture_output=True,
        input=data,
        encoding="utf-8",
        env=clean_environment(),
        timeout=PATIENCE,
        check=False,
    )


def inside(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_server_and_back(tmp_path):
    folder = tmp_path / "descriptions"
    done = extract(folder, "--", *SDK)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"14 tools in {folder}: 14 written.\n"
    assert "add.json" in inside(folder)
    back = Catalogue.from_folder(folder)
    assert len(back) == 14
    add = json.loads((folder / "add.json").read_bytes())
    assert {"name", "description", "inputSchema", "outputSchema"} == set(add)
    assert back.get("add").listed == add


def test_what_was_written_by_hand_survives(tmp_path):
    tools = [{"name": "find", "description": "Finds."}, {"name": "other"}]
    data = json.dumps(tools)
    assert extract(tmp_path, "--tools", "-", data=data).returncode == 0
    file = tmp_path / "find.json"
    file.write_text('{"name": "find", "description": "Mine.", "examples": ["one"]}')
    again = extract(tmp_path, "--tools", "-", data=data)
    assert again.stdout.splitlines() == [
        f"2 tools in {tmp_path}: 0 written, 2 unchanged.",
        "--force updates those files, and keeps what only a file says.",
    ]
    assert json.loads(file.read_bytes())["description"] == "Mine."
    forced = extract(tmp_path, "--force", "--tools", "-", data=data)
    told = f"2 tools in {tmp_path}: 0 written, 1 updated, 1 unchanged.\n"
    assert forced.stdout == told
    assert json.loads(file.read_bytes()) == {
        "name": "find",
        "description": "Finds.",
        "examples": ["one"],
    }
    over = Catalogue.from_folder(tmp_path).laid_over(Catalogue.from_tools(tools))
    assert over.get("find").more["examples"] == ["one"]


def test_no_name_is_a_path(tmp_path):
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"name": name, "description": name} for name in ODD]))
    folder = tmp_path / "in" / "here"
    assert extract(folder, "--", *LISTER, tools, "--modern", "--page", "2").returncode == 0
    files = inside(folder)
    assert len(files) == len({file.casefold() for file in files}) == len(ODD)
    assert sorted(Catalogue.from_folder(folder).names) == sorted(ODD)
    assert sorted(inside(tmp_path)) == ["in", "tools.json"]


@pytest.mark.parametrize(
    ("arguments", "data", "told"),
    [
        ([], "", "needs DIR.\n  Use: penstock extract DIR [options] (-- COMMAND"),
        (["{}"], "", "penstock extract DIR -- COMMAND, or --url URL, or --tools FILE"),
        (["{}", "--tools", "-"], "tools", "stdin is not JSON"),
        (["{}", "--", sys.executable, "-c", "raise SystemExit(7)"], "", "ended with exit code 7"),
        (["{}/file", "--tools", "-"], '[{"name":"a"}]', "File exists"),
        (["/proc/x", "--tools", "-"], '[{"name":"a"}]', "/proc/x: "),
    ],
)
def test_what_is_refused(tmp_path, arguments, data, told):
    (tmp_path / "file").write_text("")
    done = extract(*(word.replace("{}", str(tmp_path)) for word in arguments), data=data)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert inside(tmp_path) == ["file"]


def test_nothing_to_write(tmp_path):
    done = extract(tmp_path / "d", "--tools", "-", data='{"tools":[]}')
    assert (done.returncode, done.stdout) == (0, f"0 tools in {tmp_path / 'd'}: 0 written.\n")
