"""A Django site with 50,000 devices, whose API is there as MCP tools: what an agent sees at each step,
and what it costs beside what the API sends.

Run with `make demo-django`. uvicorn serves the site in examples/fleet, and a real client talks to it
over HTTP; the exit code is not zero if a step does not do what it says.
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

import httpx2
from demo import LIST_TOKENS, METER, Agent, cost_of_list, heading, paint
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

FLEET = Path(__file__).parent / "fleet"
DATABASE = Path(os.environ.get("FLEET_SQLITE") or FLEET / "fleet.sqlite3")
PATIENCE = 60
NOT_SHOWN = "That is not what the demo is meant to show."
BY_SITE = "SELECT site, count(*) AS down FROM result WHERE status = 'down' GROUP BY site"


def main() -> None:
    tokens = prepared()
    with tempfile.TemporaryDirectory() as folder:
        # A copy: what the agent writes is gone afterwards, and every run shows the same.
        database = Path(shutil.copy(DATABASE, folder))
        with served(database, Path(folder) / "log") as url:
            asyncio.run(play(url, tokens))


async def play(url: str, tokens: dict[str, str]) -> None:
    raw = cost_of_api(f"{url}/api/devices/", tokens["viewer"])
    async with connected(url, tokens["technician"]) as client:
        cost, count = await cost_of_list(client)
        print(f"\n  {count} tools, from its views and functions, in {cost:,} tokens")
        agent = Agent(client)
        await walk(agent)
    async with connected(url, tokens["viewer"]) as client:
        await be_refused(client)
    spent = cost + agent.spent
    heading(
        f"List and six calls: {spent:,} tokens. All devices from the API: {raw:,}, "
        f"{raw / spent:,.0f} times as many.\n"
    )
    if cost > LIST_TOKENS:
        raise SystemExit(NOT_SHOWN)


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
    """Who may not write is not shown how, and what he was not shown is not there."""
    listed = [tool.name for tool in (await client.list_tools()).tools]
    print(paint("1", "\n▸ And a user without that permission?"))
    print(paint("36", f"  {len(listed)} tools; device_retire(…)"))
    try:
        await client.call_tool("device_retire", {"asset_tag": "GW-000001", "reason": "?"})
    except MCPError as error:
        print(f"  {error}")
    else:
        raise SystemExit(NOT_SHOWN)
    if "device_retire" in listed:
        raise SystemExit(NOT_SHOWN)


def cost_of_api(url: str, token: str) -> int:
    """In tokens, of all devices."""
    response = httpx2.get(
        url, params={"limit": 1_000_000}, headers=authorization(token), timeout=PATIENCE
    )
    cost = METER.count(response.raise_for_status().text)
    count = response.json()["count"]
    heading(
        f"A Django site with {count:,} devices. Its API sends them as "
        f"{len(response.content):,} bytes, {cost:,} tokens. Now the same API over MCP:"
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
    """The tokens of the users, once there is a fleet."""
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
    """The URL of the site. One process serves it, so memory will do for what is stored."""
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
    """Ours, without what would lead the site elsewhere."""
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
