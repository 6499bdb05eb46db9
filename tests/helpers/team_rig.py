"""A team of `penstock serve --workers 2`, and clients of each of its workers."""

import re
import subprocess
import sys
from contextlib import contextmanager

import httpx2
import psutil
from http_rig import Raw, eventually, value_of
from relay_processes import clean_environment, end

SERVE = [sys.executable, "-m", "penstock", "serve", "--port", "0"]
WAIT = 60


class Team:
    """A team, and clients of each of its workers."""

    def __init__(self, process, log):
        self.process = psutil.Process(process.pid)
        self.log = log
        self.url = re.search(r"http://\S+", log.read_text())[0]

    def doors(self):
        """Return the process of each worker by the Unix socket on which the others reach it."""
        found = {}
        for worker in self.process.children():
            for one in worker.net_connections("unix"):
                if one.laddr.endswith(".sock"):
                    found[one.laddr] = worker
        return dict(sorted(found.items()))

    @contextmanager
    def client(self, index):
        """Yield a client whose requests arrive at one worker."""
        with Raw(self.url) as client:
            client.http.close()
            path = list(self.doors())[index]
            client.http = httpx2.Client(timeout=WAIT, transport=httpx2.HTTPTransport(uds=path))
            yield client

    @contextmanager
    def clients(self):
        with self.client(0) as first, self.client(1) as second:
            yield first, second


@contextmanager
def serving_team(folder, *target, before=(), environment=None):
    log = folder / "log"
    command = [*before, *SERVE, "--workers", "2", "--store", f"sqlite:///{folder}/results", *target]
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command, stderr=stream, env=clean_environment(**(environment or {}))
        )
    try:
        assert eventually(lambda: "http://" in log.read_text() or process.poll() is not None, WAIT)
        yield Team(process, log)
    finally:
        process.terminate()
        try:
            process.wait(WAIT)
        finally:
            end(process.pid)


def is_waiting(client):
    """Return whether the tool `wait` is among the latest calls of a session."""
    requests = value_of(client.call("seen", key=99))["requests"]
    return any(one["body"].get("params", {}).get("name") == "wait" for one in requests)
