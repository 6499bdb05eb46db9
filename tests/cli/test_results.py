"""`penstock results` after a real `penstock run`: the list, a view, and the whole of a result."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from environments import clean_environment
from node_runtime import node, package
from relay_processes import StdioClient
from servers_of_others import server_of_others

from penstock import Call, Gate
from penstock.gate.identity import os_user
from penstock.stores import open_store

ROOT = Path(__file__).parents[2]
DEVICES = [
    {"id": n, "name": f"Gerät {n}", "tags": ["a", n], "x": n / 7}
    | ({"late": True} if n > 1_998 else {})
    for n in range(2_000)
]
ORDERS = "id,name,note\n" + "".join(f'{n},"Näme, {n}","say ""{n}"""\n' for n in range(2_000))
WORDS = "".join(f"line {n}\twith words\r\n" for n in range(3_000))


class Machine:
    """A user's folders, in which servers run and commands are given."""

    def __init__(self, folder):
        self.files = folder / "files"
        self.files.mkdir()
        self.state = folder / "state"
        self.variables = {"XDG_STATE_HOME": str(self.state), "COLUMNS": "100", "LINES": "30"}

    def run(self, command, *calls, store="sqlite:"):
        """Make these calls behind `penstock run`, and return the replies."""
        client = StdioClient(command, "--store", store, environment=self.variables)
        try:
            client.greet()
            return [client.call(tool, **arguments) for tool, arguments in calls]
        finally:
            client.discard()

    def command(self, *words, **variables):
        return subprocess.run(
            [sys.executable, "-m", "penstock", "results", *map(str, words)],
            capture_output=True,
            check=False,
            env=clean_environment(**self.variables, **variables),
        )

    def told(self, *words):
        done = self.command(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def refused(self, *words):
        done = self.command(*words)
        assert done.returncode == 2
        assert not done.stdout
        return done.stderr.decode()

    def listed(self, *words):
        return json.loads(self.told("--json", *words))


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A machine on which agents have read files and a history, through servers of the registry."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    (machine.files / "devices.json").write_text(json.dumps(DEVICES, indent=1), "utf-8")
    (machine.files / "orders.csv").write_text(ORDERS, "utf-8")
    (machine.files / "words.txt").write_bytes(WORDS.encode())
    filesystem = package("@modelcontextprotocol/server-filesystem/dist/index.js")
    names = ("devices.json", "orders.csv", "words.txt")
    machine.run(
        [node(), filesystem, str(machine.files)],
        *(("read_text_file", {"path": str(machine.files / name)}) for name in names),
    )
    log = {"repo_path": str(ROOT), "max_count": 200}
    machine.run([server_of_others("mcp-server-git"), "--repository", str(ROOT)], ("git_log", log))
    return machine


def id_of(machine, form):
    (found,) = [one for one in machine.listed() if one["format"] == form]
    return found["id"]


def test_the_list_names_servers_tools_sizes_and_times(machine):
    head, *rows = machine.told().splitlines()
    assert head.split() == ["ID", "SERVER", "TOOL", "STORED", "EXPIRES", "SIZE", "CONTENT"]
    assert [row.split()[1:3] for row in rows] == [
        ["mcp-git", "git_log"],
        *[["secure-filesystem-server", "read_text_file"]] * 3,
    ]
    assert [row.rpartition("  ")[2] for row in rows] == [
        "records, 200 rows", "text, 3,001 lines", "csv, 2,000 rows", "json, 2,000 rows",
    ]  # fmt: skip
    assert all(" in " in row and "pen_" not in row for row in rows)
    assert all(len(row.split()[0]) >= 6 for row in rows)


def test_the_way_to_keep_results_is_told_only_if_there_are_none(machine):
    assert machine.command().stderr == b""


def test_the_list_as_json(machine):
    rows = machine.listed()
    assert [one["count"] for one in rows] == [200, 3_001, 2_000, 2_000]
    assert rows[2]["size"] == len(ORDERS.encode())
    assert all(
        one["key"].startswith(one["id"]) and one["stored_at"] < one["expires_at"] for one in rows
    )
    assert rows == machine.listed("--store", f"sqlite:///{machine.state}/penstock/results.sqlite")


def test_text_is_the_file_to_the_byte(machine):
    for form, name in (("json", "devices.json"), ("csv", "orders.csv"), ("", "words.txt")):
        done = machine.command("show", id_of(machine, form), "--format", "text")
        assert done.stdout == (machine.files / name).read_bytes()


def test_json_is_the_value(machine):
    shown = json.loads(machine.told("show", id_of(machine, "json"), "--format", "json"))
    assert shown == DEVICES
    assert json.loads(machine.told("show", id_of(machine, ""), "--format", "json")) == WORDS
    history = json.loads(machine.told("show", id_of(machine, "records"), "--format", "json"))
    hashes = subprocess.run(
        ["git", "-C", ROOT, "log", "-200", "--format=%H"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert [row["Commit"].strip("'") for row in history] == hashes


def test_csv_has_the_cells_of_all_rows(machine):
    def table(form):
        done = machine.command("show", id_of(machine, form), "--format", "csv")
        return list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))

    header, *rows = table("json")
    assert header == ["id", "name", "tags", "x", "late"]
    assert rows == [
        [
            str(one["id"]),
            one["name"],
            f'["a",{one["id"]}]',
            repr(one["x"]),
            "true" if "late" in one else "",
        ]
        for one in DEVICES
    ]
    assert table("csv") == list(csv.reader(io.StringIO(ORDERS)))


def test_a_file_gets_the_format_that_its_name_tells(machine, tmp_path):
    file = tmp_path / "out.csv"
    file.write_text("old")
    assert machine.told("show", id_of(machine, "csv"), "--output", file) == ""
    assert file.read_bytes().startswith(b"id,name,note\r\n0,")
    assert list(tmp_path.iterdir()) == [file]
    told = machine.refused("show", id_of(machine, "csv"), "--output", tmp_path / "out.dat")
    assert "tells no format.\n  Add --format csv, json, text." in told
    told = machine.refused("show", id_of(machine, "csv"), "--output", tmp_path / "no" / "out.csv")
    assert "out.csv cannot be written: No such file or directory." in told
    told = machine.refused("show", id_of(machine, ""), "--output", tmp_path / "new.csv")
    assert "text without rows" in told
    assert list(tmp_path.iterdir()) == [file]


def test_an_existing_file_keeps_its_rights_and_a_new_one_gets_the_usual(machine, tmp_path):
    private, new = tmp_path / "private.csv", tmp_path / "new.csv"
    private.touch(0o600)
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / ".new.csv.part").symlink_to(other)
    for file in (private, new):
        assert machine.told("show", id_of(machine, "csv"), "--output", file) == ""
        assert file.stat().st_size > len(ORDERS)
    mask = os.umask(0o077)
    os.umask(mask)
    assert private.stat().st_mode & 0o777 == 0o600
    assert new.stat().st_mode & 0o777 == 0o666 & ~mask
    assert other.read_text() == "mine"


def test_a_pipe_gets_the_rows(machine):
    words = f"show {id_of(machine, 'csv')} --format csv --output /dev/stdout"
    assert machine.told(*words.split()).startswith("id,name,note\r\n0,")


def test_a_view_fits_the_terminal(machine):
    for form, words in (("json", "Gerät 3"), ("", "line 3\\twith words"), ("records", "Commit")):
        lines = machine.told("show", id_of(machine, form)).splitlines()
        assert any(words in line for line in lines)
        assert len(lines) <= 30
        assert max(map(len, lines)) <= 100
    assert lines[0].startswith("git_log of mcp-git, ")
    assert lines[2].startswith("columns: Commit (str")
    assert "… and 178 more rows." in lines


def test_a_part_and_a_question(machine):
    one = id_of(machine, "json")
    assert json.loads(machine.told("show", one, "--path", "/7/tags", "--format", "json")) == [
        "a",
        7,
    ]
    statement = "SELECT count(*) AS n, min(id) AS first FROM result WHERE id > 1997"
    assert machine.told("show", one, "--sql", statement).splitlines()[:2] == [
        "n  first",
        "2   1998",
    ]
    assert "/1999" in machine.told("show", one, "--search", "gerät 1999")
    assert machine.told("show", one, "--query", "map(.id) | add", "--format", "json") == "1999000\n"
    assert "no_such" in machine.refused("show", one, "--sql", "SELECT no_such FROM result")
    assert "penstock: path" in machine.refused("show", one, "--path", "nowhere")
    assert len(machine.listed()) == 4


def test_a_reader_that_leaves_early_sees_no_error(machine):
    for form in ("csv", "json", "text"):
        words = ["results", "show", id_of(machine, "json"), "--format", form]
        with subprocess.Popen(
            [sys.executable, "-m", "penstock", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=clean_environment(**machine.variables),
        ) as writer:
            assert len(writer.stdout.read(100)) == 100
            writer.stdout.close()
            assert writer.stderr.read() == b""
        assert writer.returncode == 0


def test_an_unknown_id_gets_those_that_there_are(machine):
    told = machine.refused("show", "zzz")
    assert told.startswith("penstock: There is no stored result zzz.\n  Use one of: ")
    assert told.count("(read_text_file)") == 3
    told = machine.refused("show", "")
    assert told.startswith("penstock: No result is named.\n  Use one of: ")


# -- other machines ----------------------------------------------------------------------------


@pytest.fixture
def empty(tmp_path):
    return Machine(tmp_path)


def test_memory_says_how_to_keep_results(empty):
    done = empty.command()
    assert done.stdout.decode() == (
        f"Nothing is stored in {empty.state / 'penstock' / 'results.sqlite'}.\n"
    )
    assert b"penstock run --store sqlite: -- COMMAND" in done.stderr
    assert empty.listed() == []
    assert "penstock run --store sqlite: -- COMMAND" in empty.refused("show", "abc")
    assert not empty.state.exists()
    assert empty.command(PENSTOCK_STORE="sqlite:").stderr == b""


def test_the_settings_file_names_the_store(empty, tmp_path):
    settings = tmp_path / "penstock.toml"
    settings.write_text(f'store = "sqlite:///{tmp_path}/own.sqlite"\n')
    with Gate(store=open_store(f"sqlite:///{tmp_path}/own.sqlite")) as gate:
        gate.offer(Call("tool", principal=os_user(), server="shop"), DEVICES)
    (one,) = empty.listed("--config", settings)
    assert (one["server"], one["tool"]) == ("shop", "tool")
    assert "tool of shop" in empty.told("show", one["id"], "--config", settings)
    assert "tool of shop" in empty.told("--config", settings, "show", one["id"])


def test_results_in_redis(empty, redis_url):
    (empty.files / "words.txt").write_bytes(WORDS.encode())
    filesystem = package("@modelcontextprotocol/server-filesystem/dist/index.js")
    call = ("read_text_file", {"path": str(empty.files / "words.txt")})
    empty.run([node(), filesystem, str(empty.files)], call, store=redis_url)
    (one,) = empty.listed("--store", redis_url)
    assert one["server"] == "secure-filesystem-server"
    assert (
        empty.command("show", one["id"], "--format", "text", "--store", redis_url).stdout
        == WORDS.encode()
    )
    other = {"XDG_STATE_HOME": str(empty.state / "other")}
    empty.variables |= other
    assert empty.told("--store", redis_url) == "Nothing of yours is stored.\n"


def test_control_characters_do_not_reach_the_terminal(empty, tmp_path):
    url = f"sqlite:///{tmp_path}/own.sqlite"
    rows = [{"a\x1b[2J": f"\x1b]0;{n}\x07", "b": "words " * 30} for n in range(500)]
    with Gate(store=open_store(url)) as gate:
        for value in (rows, "\x1b[31m red\n" * 5_000, {"k\x1b": "\x9b" * 30_000}):
            gate.offer(Call("to\x1bol", principal=os_user(), server="s\x1bhop"), value)
    shown = [empty.told("--store", url)]
    shown += [empty.told("show", one["id"], "--store", url) for one in empty.listed("--store", url)]
    assert len(shown) == 4
    shown += [empty.refused("show", "zz", "--store", url)]
    assert not {*"\x1b\x07\x9b"} & {*"".join(shown)}
    assert "\\x1b" in shown[0]


@pytest.mark.parametrize("store", ["sqlite:///{}/not-a-store", "redis://127.0.0.1:1", "nothing:"])
def test_a_store_that_cannot_be_used_is_a_sentence(empty, tmp_path, store):
    (tmp_path / "not-a-store").write_text("words " * 1_000)
    told = empty.refused("--store", store.format(tmp_path))
    assert told.startswith("penstock: ")
    assert "Traceback" not in told


def test_a_slip_in_an_option_gets_a_suggestion(empty):
    assert "Did you mean --format?" in empty.refused("show", "abc", "--fromat=csv")
    assert os.linesep.join(empty.told("--help").splitlines()[:1]).startswith(
        "usage: penstock results"
    )
