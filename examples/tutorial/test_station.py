"""The tools of the station, tested as functions and as a client sees them."""

import asyncio
import json
from typing import Any

from looking import told
from mcp import Client
from station import hill_chart, lake, measurements, server


def call(tool: str, **arguments: Any) -> Any:
    async def run() -> Any:
        async with Client(server) as client:
            return await told(client, tool, **arguments)

    return asyncio.run(run())


def test_the_functions_are_functions_still() -> None:
    rows = measurements.__wrapped__(hours=3)
    assert [row["time"][11:] for row in rows] == ["00:00Z", "01:00Z", "02:00Z"]
    assert hill_chart.__wrapped__(50, 60).summary()["best"]["flow"] == 17
    assert lake.__wrapped__(flow=12, days=1).full()["total"] == 24


def test_an_agent_can_count_the_blocked_hours() -> None:
    token = call("measurements")["continuation_token"]
    query = "SELECT count(*) AS hours FROM result WHERE state = 'screen blocked'"
    found = call("measurements", continuation_token=token, mode="sql", query=query)
    assert found["items"] == [{"hours": 20}]


def test_a_summary_is_small() -> None:
    assert len(json.dumps(call("hill_chart"))) < 3_000
    assert len(json.dumps(call("lake"))) < 3_000
