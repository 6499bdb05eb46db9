"""The log of `penstock serve`, for an operator who asks what went wrong for a user."""

import os
import signal

import psutil
from http_rig import Raw, one_worker
from raw_http import serving_logged, wait_until
from relay_processes import is_guardian


@one_worker
def test_a_refused_request_leaves_one_line_a_minute(tmp_path):
    log = tmp_path / "log"
    with serving_logged(log, "--log-level", "info") as (url, _), Raw(url) as client:
        for _ in range(3):
            assert client.post(b"{}", **{"content-type": "text/plain"}).status_code == 415
        assert client.post(b"{}", host="evil.example").status_code == 403
        wait_until(lambda: "refused 'POST: 403'" in log.read_text())
        assert log.read_text().count("refused 'POST: 415'") == 1


@one_worker
def test_a_server_that_ends_while_nobody_waits_leaves_a_warning(tmp_path):
    log = tmp_path / "log"
    with serving_logged(log) as (url, process), Raw(url) as client:
        client.initialize()
        below = psutil.Process(process.pid).children()
        (server,) = [child for child in below if not is_guardian(child)]
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: "was ended by signal 9" in log.read_text())
        assert "its client has to initialize" in log.read_text()


@one_worker
def test_a_session_that_its_client_ends_leaves_none(tmp_path):
    log = tmp_path / "log"
    with serving_logged(log) as (url, process), Raw(url) as client:
        client.initialize()
        client.http.delete(url, headers={"mcp-session-id": client.session})
        below = psutil.Process(process.pid)
        wait_until(lambda: all(is_guardian(child) for child in below.children()))
        assert "WARNING" not in log.read_text()
