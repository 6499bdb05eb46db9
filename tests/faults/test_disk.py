"""A disk that is full, and a file that may not be written, under the SQLite store."""

import json

import pytest
from disks import SmallDisk, heeding_modes, on_small_disk
from fault_list import DISK_FULL, FILE_READ_ONLY
from fault_rig import RUN_COMMAND, RUN_URL, SERVE_COMMAND, assert_kept, hold, told_by

LARGE = 20_000  # rows, about 1 MB when they are compressed


@pytest.mark.parametrize("way", [RUN_COMMAND, SERVE_COMMAND], ids=str)
def test_a_full_disk(rig, saw, tmp_path, way):
    """The agent is told that the result is not stored, and gets its first page."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = rig(way, prefix=on_small_disk(folder), store=f"sqlite://{folder}/results.sqlite3")
    client = made.client()
    token = hold(client)
    disk = SmallDisk(made.process.pid, folder)
    disk.fill()
    page = json.loads(client.text(client.call("rows", count=LARGE)))
    saw(DISK_FULL, page["notice"])
    assert (page["items"][0]["id"], page["total"], page["stored"]) == (0, LARGE, False)
    assert_kept(client, token)
    disk.empty()
    assert_kept(client, hold(client, LARGE), LARGE)
    assert_kept(client, token)
    assert made.count("rows") == 3
    assert "Traceback" not in made.log.read_text("utf-8")


@pytest.mark.parametrize("way", [RUN_COMMAND, RUN_URL], ids=str)
def test_a_file_that_may_not_be_written(rig, saw, way):
    """The host gets the reason as the answer to its first request: most hosts hide the log."""
    made = rig(way)
    token = hold(made.client())
    made.stop()
    made.store.chmod(0o400)
    made.start(heeding_modes())
    client = made.client(greet=False)
    saw(FILE_READ_ONLY, told_by(client.answer(client.ping())))
    assert made.wait() == 2
    assert "Traceback" not in made.log.read_text("utf-8")
    made.store.chmod(0o600)
    made.start()
    assert_kept(made.client(), token)
    assert made.count("rows") == 1
