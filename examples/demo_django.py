"""A demo of a Django site with 50,000 devices, whose API is available as MCP tools. It shows what
an agent sees at each step, and compares the cost with that of the API's own answer.

Run with `make demo-django`. uvicorn serves the site in examples/fleet, and a real client talks to it
over HTTP. The exit code is not zero if a step fails.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from pydantic import BaseModel

from penstock.cli.demonstration.transcript import (
    BOLD,
    CYAN,
    NotShown,
    Transcript,
    count_tokens,
    expect,
    heading,
    say,
    tokens,
)

FLEET = Path(__file__).parent / "fleet"
DATABASE = Path(os.environ.get("FLEET_SQLITE") or FLEET / "fleet.sqlite3")
PATIENCE = 60
LIST_TOKENS = 2_000
BY_SITE = "SELECT site, count(*) AS down FROM result WHERE status = 'down' GROUP BY site"


class Agent(Transcript):
    """A transcript whose calls are sent by the official client."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    async def call(self, thought: str, tool: str, **arguments: Any) -> Any:
        result = await self._client.call_tool(tool, arguments)
        return self.add(thought, tool, arguments, on_the_wire(result).encode())


def main() -> None:
    users = prepared()
    with tempfile.TemporaryDirectory() as folder:
        # A copy, so that the agent's writes are lost and every run shows the same.
        database = Path(shutil.copy(DATABASE, folder))
        with served(database, Path(folder) / "log") as url:
            asyncio.run(play(url, users))


async def play(url: str, users: dict[str, str]) -> None:
    """Play the session. `users` holds the API token of each user."""
    raw = cost_of_api(f"{url}/api/devices/", users["viewer"])
    async with connected(url, users["technician"]) as client:
        listed = await client.list_tools()
        cost = count_tokens(on_the_wire(listed))
        say(f"\n  {len(listed.tools)} tools, from its views and functions, in {tokens(cost)}")
        expect(cost <= LIST_TOKENS)
        agent = Agent(client)
        await walk(agent)
    async with connected(url, users["viewer"]) as client:
        await be_refused(client)
    spent = cost + agent.spent
    heading(
        f"List and {agent.calls} calls: {tokens(spent)}. All devices from the API: {tokens(raw)}, "
        f"{raw / spent:,.0f} times as many.\n"
    )


async def walk(agent: Agent) -> None:
    page = await agent.call(
        "What devices are there? How many, how much, and a page.", "device_list"
    )
    recalled = await agent.call(
        "The API's own filters are arguments.", "device_list", status="recalled"
    )
    await agent.call(
        f"A question to all {page['count']:,}, answered where the data is.",
        "device_list",
        continuation_token=page["continuation_token"],
        mode="sql",
        query=f"{BY_SITE} ORDER BY down DESC LIMIT 4",
    )
    probe = await agent.call("A function of the site's, marked as heavy.", "fleet.power")
    await agent.call(
        "Some fields of some rows.",
        "fleet.power",
        continuation_token=probe["continuation_token"],
        mode="filtered",
        filter_keys=["site", "watts"],
        page_size=6,
    )
    tag = recalled["results"][0]["asset_tag"]
    await agent.call(
        "A write. The agent knows what it sent: it gets what identifies the record.",
        "device_retire",
        asset_tag=tag,
        reason="Recalled by the maker.",
    )


async def be_refused(client: Client) -> None:
    """Show that a user who may not write neither sees the tool nor can call it."""
    listed = [tool.name for tool in (await client.list_tools()).tools]
    say("\n▸ And a user without that permission?", BOLD)
    say(f"  {len(listed)} tools; device_retire(…)", CYAN)
    expect("device_retire" not in listed)
    try:
        await client.call_tool("device_retire", {"asset_tag": "GW-000001", "reason": "?"})
    except MCPError as error:
        say(f"  {error}")
    else:
        raise NotShown


def on_the_wire(message: BaseModel) -> str:
    return message.model_dump_json(by_alias=True, exclude_none=True)


def cost_of_api(url: str, token: str) -> int:
    """Return the cost of all devices from the API, in tokens."""
    response = httpx2.get(
        url, params={"limit": 1_000_000}, headers=authorization(token), timeout=PATIENCE
    )
    cost = count_tokens(response.raise_for_status().text)
    count = response.json()["count"]
    heading(
        f"A Django site with {count:,} devices. Its API sends them as "
        f"{len(response.content):,} bytes, {tokens(cost)}. Now the same API over MCP:"
    )
    return cost


@asynccontextmanager
async def connected(url: str, token: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=authorization(token), timeout=PATIENCE) as http,
        Client(
            streamable_http_client(f"{url}/mcp/", http_client=http), read_timeout_seconds=PATIENCE
        ) as client,
    ):
        yield client


def authorization(token: str) -> dict[str, str]:
    return {"Authorization": f"Token {token}"}


def prepared() -> dict[str, str]:
    """Make the fleet if there is none, and return the API token of each user."""
    has_fleet = DATABASE.exists()
    if not has_fleet:
        print("Making the fleet (once) ...")
    quiet = ("--verbosity", "0")
    manage("migrate", *quiet)
    printed = manage("seed_fleet", *(quiet if has_fleet else ()))
    return dict(line.split() for line in printed.splitlines())


def manage(*arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    ran = subprocess.run(  # noqa: S603 (ours)
        command, cwd=FLEET, env=environment(DATABASE), stdout=subprocess.PIPE, check=True
    )
    return ran.stdout.decode()


@contextmanager
def served(database: Path, log: Path) -> Iterator[str]:
    """Serve the site and yield its URL. A store in memory will do for one process."""
    command = [sys.executable, "-m", "uvicorn", "--port", "0", "fleet.asgi:application"]
    variables = {**environment(database), "PENSTOCK_STORE": "memory:"}
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 (ours)
            command, cwd=FLEET, env=variables, stderr=output, stdout=output
        )
    try:
        yield address(process, log)
    except BaseException:
        print(log.read_text("utf-8"), file=sys.stderr)
        raise
    finally:
        process.terminate()
        process.wait()


def environment(database: Path) -> dict[str, str]:
    """Return the environment without variables that would change the site."""
    others = ("PENSTOCK_", "FLEET_", "DJANGO_", "PG")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    return {**kept, "FLEET_SQLITE": str(database.resolve())}


def address(process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(PATIENCE * 10):
        if found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text("utf-8")):
            return found[0]
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit("The site did not start.")


if __name__ == "__main__":
    main()
