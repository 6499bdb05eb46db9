"""A worker that is killed during a query, as the system does when memory is short."""

import json

import pytest
from fault_list import WORKER_KILLED
from fault_rig import (
    ENDLESS_SQL,
    ROWS,
    RUN_COMMAND,
    SERVE_COMMAND,
    assert_kept,
    hold,
    read,
    told_by,
)


@pytest.mark.parametrize("way", [RUN_COMMAND, SERVE_COMMAND], ids=str)
def test_a_worker_that_is_killed(rig, saw, way):
    """The agent learns that the process was killed, and the next query is answered."""
    made = rig(way, query_seconds="10m")
    client = made.client()
    token = hold(client)
    key = read(client, token, mode="sql", query=ENDLESS_SQL)
    made.wait_for_query().kill()
    saw(WORKER_KILLED, told_by(client.answer(key)))
    counted = read(client, token, mode="sql", query="SELECT count(*) AS n FROM result")
    assert json.loads(client.text(counted))["items"] == [{"n": ROWS}]
    assert_kept(client, token)
    assert made.count("rows") == 1
