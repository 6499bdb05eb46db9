"""The identity of a caller that has not logged in."""

import os
from concurrent.futures import ThreadPoolExecutor

from penstock.gate.identity import new_session_name, os_user


def test_the_user_of_this_machine_is_the_same_each_time_and_a_session_is_not():
    assert os_user() == os_user()
    assert new_session_name() != new_session_name()


def test_only_with_a_store_of_several_machines_the_user_has_a_mark(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert {os_user().mark, os_user("sqlite:").mark} == {""}
    assert not any(tmp_path.iterdir())
    with ThreadPoolExecutor(8) as pool:
        marked = {*pool.map(os_user, ["redis://localhost"] * 50)}
    assert len(marked) == 1
    (user,) = marked
    assert user.id == os_user().id
    assert len(user.mark) == 32
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600
    assert os_user("valkeys://elsewhere") == user


def test_a_mark_that_cannot_be_kept_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setattr(os, "link", _no_links)
    assert os_user("redis://localhost").mark == ""
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def _no_links(_old, _new):
    """Fail as on a file system without hard links."""
    raise PermissionError
