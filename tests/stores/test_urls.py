import subprocess
import sys
from pathlib import Path

import pytest

from penstock.errors import InvalidSetting, MissingExtra
from penstock.stores import open_store
from penstock.stores.memory import MemoryStore
from penstock.stores.sqlite import SQLiteStore
from penstock.stores.urls import SCHEMES, _path, state_folder


@pytest.mark.parametrize("url", ["memory:", "memory://", "MEMORY:"])
def test_memory(url):
    assert isinstance(open_store(url), MemoryStore)


@pytest.mark.parametrize(
    ("rest", "path"),
    [
        ("///abs/my%20results.db", "/abs/my results.db"),
        ("/abs/results.db", "/abs/results.db"),
        ("///~/results.db", "/home/ann/results.db"),
        ("~/results.db", "/home/ann/results.db"),
        ("results.db", "results.db"),
        ("sub/results.db", "sub/results.db"),
        ("///C:/results.db", "C:/results.db"),
        ("", "/state/penstock/results.sqlite"),
        ("//", "/state/penstock/results.sqlite"),
        ("///", "/state/penstock/results.sqlite"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="the paths are of POSIX")
def test_sqlite_paths(monkeypatch, rest, path):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert _path(rest) == Path(path)


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", "/home/ann/.local/state/penstock"),
        ("darwin", "/home/ann/Library/Application Support/penstock"),
        ("win32", "/local/penstock"),
    ],
)
def test_state_folder(monkeypatch, platform, folder):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ann"))
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    monkeypatch.setenv("XDG_STATE_HOME", "relative, so not valid")
    assert state_folder() == Path(folder)


def test_sqlite_opens_with_its_limits(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/a.db", capacity=70, quota=50)
    assert isinstance(store, SQLiteStore)
    assert (store._limits.capacity, store._limits.quota) == (70, 50)
    store.close()


@pytest.mark.parametrize("url", ["", "results.db", "postgres://ann:secret@host/db", "redis"])
def test_an_unknown_scheme_names_the_known_ones_and_keeps_secrets(url):
    with pytest.raises(InvalidSetting) as caught:
        open_store(url)
    assert all(scheme in str(caught.value) for scheme in SCHEMES)
    assert "secret" not in str(caught.value)


def test_two_slashes_are_refused():
    with pytest.raises(InvalidSetting, match="three slashes"):
        open_store("sqlite://results.db")


@pytest.mark.parametrize("url", ["redis://:secret@host:port/0", "redis://:secret/word@host"])
def test_a_bad_redis_url_keeps_secrets(url):
    pytest.importorskip("redis")
    with pytest.raises(InvalidSetting, match="redis-py") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(MissingExtra, match=r'in a clone, pip install "\.\[redis\]"'):
        open_store("redis://localhost")


def test_no_backend_is_imported_before_it_is_asked_for():
    code = (
        "import sys, penstock.stores as s; s.open_store('memory:');"
        "sys.exit(str(sorted({'redis', 'sqlite3'} & set(sys.modules))) if "
        "{'redis', 'sqlite3'} & set(sys.modules) else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
