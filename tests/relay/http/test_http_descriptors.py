"""`penstock serve` when its process may open no more files."""

import sys
import time

import pytest
from http_rig import one_worker
from raw_http import Wire, answers_health, asking_health, serving_logged, wait_until

from penstock.relay.http.descriptors import connections_within

resource = pytest.importorskip("resource", reason="Windows has no such limit")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux changes another process"
)
FILES = resource.RLIMIT_NOFILE


@one_worker
def test_a_failing_accept_is_logged_once_and_goes_on_by_itself(tmp_path):
    log = tmp_path / "log"
    with serving_logged(log) as (url, process):
        assert answers_health(url)
        before, hard = resource.prlimit(process.pid, FILES)
        resource.prlimit(process.pid, FILES, (3, hard))
        with asking_health(url) as waiting:
            wait_until(lambda: "accept" in log.read_text())
            time.sleep(3)  # It is tried again every second.
            told = log.read_text()
            assert told.count("accept") == 1
            assert "Traceback" not in told
            resource.prlimit(process.pid, FILES, (before, hard))
            assert waiting.answer().status == 200


@one_worker
def test_few_files_mean_few_connections(tmp_path):
    log = tmp_path / "log"
    many = ("--max-connections", "8000", "--max-connections-per-address", "1000")
    with serving_logged(log, *many, before="ulimit -n 64; ") as (url, _):
        assert "at most 32 connections" in log.read_text()
        wires = [asking_health(url) for _ in range(32)]
        assert {wire.answer().status for wire in wires} == {200}
        with Wire(url) as refused:
            assert refused.answer().status == 503
        for wire in wires:
            wire.socket.close()
        wait_until(lambda: answers_health(url))


def test_each_connection_leaves_a_file_for_its_request_to_upstream():
    assert connections_within(4_096, 8_000) == 2_048


@one_worker
def test_fewer_connections_than_nobody_asked_for_need_no_warning(tmp_path):
    log = tmp_path / "log"
    for words, is_told in ((), False), (("--log-level", "info"), True):
        with serving_logged(log, *words, before="ulimit -n 64; "):
            assert ("at most 32 connections" in log.read_text()) == is_told


@pytest.mark.parametrize(("workers", "connections"), [(2, 1_024), (4, 512), (64, 32)])
def test_a_worker_has_files_for_all_requests_that_all_others_may_pass_on(workers, connections):
    assert connections_within(4_096, 8_000, workers) == connections


@one_worker
def test_the_limit_of_files_is_raised(tmp_path):
    with serving_logged(tmp_path / "log", before="ulimit -S -n 64; ") as (_, process):
        soft, hard = resource.prlimit(process.pid, FILES)
        assert soft == min(hard, 65_536)
