"""The demo `make demo-django`, with a small fleet."""

import re
import subprocess
import sys

import pytest
from running import DEVICES, PATIENCE, PROJECT, environment, manage

DEMO = PROJECT.parent / "demo_django.py"


@pytest.fixture(scope="module")
def played(sqlite_fleet):
    before = census(sqlite_fleet)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::ResourceWarning", DEMO],
        env=environment(**sqlite_fleet.environment), capture_output=True, text=True, check=False,
        timeout=2 * PATIENCE, encoding="utf-8",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert census(sqlite_fleet) == before, "what the agent writes is gone afterwards"
    return ran.stdout


def census(database):
    query = "from devices.models import *; print(Device.objects.filter(status='recalled').count())"
    return manage("shell", "--verbosity", "0", "-c", query, **database.environment)


def number(pattern, text):
    return int(re.search(pattern, text)[1].replace(",", ""))


def test_it_adds_up(played):
    count = number(r"site with (\S+) devices", played)
    raw = number(r"bytes, (\S+) tokens", played)
    spent = number(r"6 calls: (\S+) tokens", played)
    listed = number(r"views and functions, in (\S+) tokens", played)
    costs = re.findall(r"^  (\S+) tokens$", played, re.MULTILINE)
    calls = [int(cost.replace(",", "")) for cost in costs]
    assert count >= DEVICES
    assert f"A question to all {count:,}" in played
    assert len(calls) == 6
    assert spent == listed + sum(calls)
    assert raw > 40 * spent


def test_it_shows_a_refusal(played):
    assert "Unknown tool: device_retire" in played.split("user without that permission?")[1]
