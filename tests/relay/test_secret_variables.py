"""The secrets in Penstock's environment, which no process inherits from it."""

import sys
from pathlib import Path

import psutil
import pytest
from http_rig import Raw, serving
from relay_calls import value_of
from relay_processes import SERVERS, clean_environment, is_guardian, wait_until

WILD = [sys.executable, str(SERVERS / "wild_server.py")]
SECRETS = {
    "PENSTOCK_STORE": "memory:",
    "PENSTOCK_URL": "https://example.com/s/9f86d081884c7d65/mcp",
    "PENSTOCK_BEARER": "hunter2",
    "PENSTOCK_HEADERS": '{"X-Api-Key": "hunter2"}',
    "MY_TOKEN": "hunter2",
    "MY_KEY": "hunter2",
}
OTHERS = {"PENSTOCK_PREVIEW": "100", "MY_SETTING": "7"}
NAMING = ("--bearer-env", "MY_TOKEN", "--header-env", "X-Key=MY_KEY")


def assert_has_only_others(environment):
    assert OTHERS.items() <= environment.items()
    assert not SECRETS.keys() & environment.keys()


def test_a_server_behind_run(start):
    client = start(WILD, "--inline", "100kB", *NAMING, environment={**SECRETS, **OTHERS})
    assert_has_only_others(value_of(client.call("environment")))


def test_a_server_behind_serve():
    environment = clean_environment(**SECRETS, **OTHERS)
    options = ("--inline", "100kB", *NAMING)
    with serving(*options, "--", *WILD, env=environment) as url, Raw(url) as client:
        client.initialize()
        assert_has_only_others(value_of(client.call("environment")))


def is_clerk(process):
    return "penstock.figures.clerk" in process.cmdline()


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc shows the environment of others")
def test_the_processes_that_count_and_that_guard(start, tmp_path):
    variables = {"PENSTOCK_STATS": "on", "XDG_STATE_HOME": str(tmp_path)}
    client = start(WILD, *NAMING, environment={**SECRETS, **OTHERS, **variables})
    client.listed()
    relay = psutil.Process(client.process.pid)
    wait_until(lambda: any(map(is_clerk, relay.children())), "the clerk")
    for child in relay.children():
        environment = (Path("/proc") / str(child.pid) / "environ").read_text()
        assert "hunter2" not in environment
        assert "PENSTOCK_STORE" not in environment
        assert is_guardian(child) or "MY_SETTING" in environment
