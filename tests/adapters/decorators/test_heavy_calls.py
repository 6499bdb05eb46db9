"""Running heavy functions: contexts, progress, errors, nested calls, many at once, cancelled."""

import asyncio
import json
import threading
from typing import Any

import anyio
import pytest
from doors import ERAS, client_of, empty, make, run, sent, served, text_of, told, walked
from mcp import Client
from mcp.server.mcpserver import Context as SdkContext
from mcp.shared.exceptions import MCPError

from penstock import heavy
from penstock.stores.memory import MemoryStore
from wire import listening

ROWS = [{"id": number, "note": "x" * 50} for number in range(100)]


# -- contexts ----------------------------------------------------------------------------------


def reporting(framework):
    """Return heavy functions that take their framework's context first, last and by keyword."""
    if framework == "mcp":
        context_type: Any = SdkContext
    else:
        from fastmcp import Context as FastContext

        context_type = FastContext

    async def first(ctx: context_type, count: int) -> list[dict[str, Any]]:
        """Rows."""
        for step in range(3):
            await ctx.report_progress(step + 1, 3, f"step {step + 1}")
        return ROWS[:count]

    async def last(count: int, *, ctx: context_type) -> list[dict[str, Any]]:
        """Rows."""
        return await first(ctx, count)

    def synchronous(count: int, ctx: context_type) -> list[dict[str, Any]]:
        """Rows."""
        assert ctx.request_id
        return ROWS[:count]

    return [heavy(first), heavy(last), heavy(synchronous)]


def test_the_context_is_given_and_progress_arrives(framework, era):
    """This test uses HTTP: in process, FastMCP reports no progress in the modern era."""
    server, middleware = make(framework, *reporting(framework), list_form="full")

    async def scenario(url):
        async with Client(url, mode=ERAS[era], cache=None) as client:
            for tool in (await client.list_tools()).tools:
                assert "ctx" not in sent(tool)["inputSchema"]["properties"]
            for name in ("first", "last"):
                seen = []
                all_seen = anyio.Event()

                async def progress(done, whole, message, seen=seen, all_seen=all_seen):
                    seen.append((done, whole, message))
                    if done == whole:
                        all_seen.set()

                result = await client.call_tool(name, {"count": 90}, progress_callback=progress)
                probe = json.loads(text_of(result))
                assert probe["count"] == 90
                assert await walked(client, name, probe["continuation_token"]) == ROWS[:90]
                with anyio.fail_after(60):
                    await all_seen.wait()
                assert seen == [(step, 3, f"step {step}") for step in (1, 2, 3)]
            assert (await told(client, "synchronous", count=90))["count"] == 90

    with listening(framework, server) as url:
        run(lambda: scenario(url))
    middleware.close()


# -- errors ------------------------------------------------------------------------------------


def test_what_a_heavy_function_raises(framework, era):
    """The error reads as the framework's errors from any function."""
    from fastmcp.exceptions import ToolError as FastError
    from mcp.server.mcpserver.exceptions import ToolError

    error = ToolError if framework == "mcp" else FastError

    def failing(size: int) -> list[int]:
        """Fails."""
        raise error("broken " * size)

    def crashing(size: int) -> list[int]:
        """Crashes."""
        raise RuntimeError("secret " * size)

    async def scenario(*functions):
        said = {}
        async with served(framework, *functions, era=era, budget="2kB") as client:
            for name in ("failing", "crashing"):
                result = await client.call_tool(name, {"size": 2})
                assert result.is_error
                assert "Traceback" not in text_of(result)
                said[name] = text_of(result)
            large = await client.call_tool("failing", {"size": 2_000})
            assert large.is_error
            token = json.loads(text_of(large))["continuation_token"]
            page = await told(client, "read_result", continuation_token=token)
            assert "broken broken" in page["items"][0]
        return said

    plain = run(lambda: scenario(failing, crashing))
    assert run(lambda: scenario(heavy(failing), heavy(crashing))) == plain


def test_an_error_of_the_protocol_passes(framework, era):
    @heavy
    def refusing() -> list[int]:
        """Refuses."""
        raise MCPError(code=-32042, message="no", data={"why": "because"})

    def plainly() -> list[int]:
        """Refuses."""
        raise MCPError(code=-32042, message="no", data={"why": "because"})

    async def scenario(name):
        async with served(framework, refusing, plainly, era=era) as client:
            try:
                return sent(await client.call_tool(name, {}))
            except MCPError as error:
                return error.error.model_dump()

    plain = run(lambda: scenario("plainly"))
    told_of = json.loads(json.dumps(plain).replace("plainly", "refusing"))
    assert run(lambda: scenario("refusing")) == told_of


# -- functions that call functions -------------------------------------------------------------


@heavy
def inner(count: int) -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[:count]


@heavy
async def async_inner(count: int) -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[:count]


def test_a_heavy_function_called_by_another_gives_its_value(framework, era):
    @heavy
    def outer(count: int) -> list[int]:
        """Ids."""
        return [row["id"] for row in inner(count)] * 50

    @heavy
    async def async_outer(count: int) -> list[int]:
        """Ids."""
        return [row["id"] for row in await async_inner(count)] * 50

    def light(count: int) -> int:
        """A count."""
        return len(inner(count))

    async def async_light(count: int) -> int:
        """A count."""
        return len(await async_inner(count)) + len(inner(count))

    async def scenario():
        tools = [outer, async_outer, light, async_light, inner]
        async with served(framework, *tools, era=era) as client:
            for name in ("outer", "async_outer"):
                probe = await told(client, name, count=90)
                assert probe["count"] == 90 * 50
                page = await told(client, name, continuation_token=probe["continuation_token"])
                assert page["items"][:3] == [0, 1, 2]
            light_result = await client.call_tool("light", {"count": 90})
            assert light_result.structured_content == {"result": 90}
            light_result = await client.call_tool("async_light", {"count": 90})
            assert light_result.structured_content == {"result": 180}
            assert (await told(client, "inner", count=90))["count"] == 90

    run(scenario)


def test_a_heavy_function_that_calls_itself(framework):
    @heavy
    def halves(count: int) -> list[dict[str, Any]]:
        """Rows."""
        return ROWS[:1] if count <= 1 else [*halves(count // 2), *halves(count - count // 2)]

    async def scenario():
        async with served(framework, halves) as client:
            assert (await told(client, "halves", count=90))["count"] == 90

    run(scenario)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_nested_call_of_fastmcp_is_not_negotiated(era):
    """A tool that calls another through the server gets the whole result."""
    from fastmcp import Context

    async def scenario():
        server, middleware = empty("fastmcp", budget="2kB")

        @server.tool
        def large() -> list[dict[str, Any]]:
            """Rows."""
            return ROWS

        server.tool(inner)

        @server.tool
        async def outer(ctx: Context) -> dict[str, int]:
            """Counts."""
            whole = await ctx.fastmcp.call_tool("large", {})
            probed = await ctx.fastmcp.call_tool("inner", {"count": 90})
            return {
                "large": len(whole.structured_content["result"]),
                "inner": len(json.loads(probed.content[0].text)),
            }

        async with client_of(server, era) as client:
            result = await client.call_tool("outer", {})
            assert result.structured_content == {"large": 100, "inner": 90}
            assert (await told(client, "large"))["count"] == 100
        middleware.close()

    run(scenario)


# -- many at once ------------------------------------------------------------------------------


def test_many_at_once(framework, era):
    """Twenty heavy calls wait for each other. Each gets its own result."""
    together = threading.Barrier(5)

    @heavy
    def blocking(number: int) -> list[dict[str, Any]]:
        """Rows."""
        together.wait(30)
        return [{"number": number, "note": "x" * 50} for _ in range(50 + number)]

    @heavy
    async def waiting(number: int) -> list[dict[str, Any]]:
        """Rows."""
        await asyncio.sleep(0.01 * (20 - number))
        return [{"number": number, "note": "x" * 50} for _ in range(50 + number)]

    async def use(client, tool, number):
        probe = await told(client, tool, number=number)
        assert probe["count"] == 50 + number
        page = await told(client, tool, continuation_token=probe["continuation_token"])
        assert {row["number"] for row in page["items"]} == {number}

    async def scenario():
        async with served(framework, blocking, waiting, era=era) as client:
            await asyncio.gather(*(use(client, "waiting", number) for number in range(20)))
            await asyncio.gather(*(use(client, "blocking", number) for number in range(20)))

    run(scenario)


# -- cancellation ------------------------------------------------------------------------------


def test_a_cancelled_call_leaves_nothing(framework, era):
    store = MemoryStore()

    async def scenario():
        started, ended = anyio.Event(), anyio.Event()

        @heavy
        async def forever() -> list[dict[str, Any]]:
            """Rows, much later."""
            started.set()
            try:
                await asyncio.sleep(3_600)
            finally:
                ended.set()
            return ROWS

        async with served(framework, forever, inner, era=era, store=store) as client:
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:

                    async def cancel_when_it_runs():
                        await started.wait()
                        scope.cancel()

                    group.start_soon(cancel_when_it_runs)
                    await client.call_tool("forever", {})
            with anyio.fail_after(60):
                await ended.wait()
            assert store.stats().entries == 0
            assert (await told(client, "inner", count=90))["count"] == 90  # other calls still work
            assert store.stats().entries == 1

    run(scenario)


def test_a_blocking_call_that_is_cancelled_leaves_nothing(framework, era):
    """The thread cannot be stopped, but its result is dropped."""
    store = MemoryStore()
    started, go_on, done = threading.Event(), threading.Event(), threading.Event()

    @heavy
    def blocking() -> list[dict[str, Any]]:
        """Rows, when told."""
        started.set()
        go_on.wait(30)
        done.set()
        return ROWS

    async def scenario():
        async with served(framework, blocking, inner, era=era, store=store) as client:
            scope = anyio.CancelScope()

            async def cancel_when_it_runs():
                await anyio.to_thread.run_sync(started.wait, 30)
                scope.cancel()
                if era == "legacy":  # a message cancels; the server handles this list after it
                    await client.list_tools()
                go_on.set()

            async with anyio.create_task_group() as group:
                group.start_soon(cancel_when_it_runs)
                with scope:
                    await client.call_tool("blocking", {})
            await anyio.to_thread.run_sync(done.wait, 30)
            await anyio.sleep(0.1)
            assert store.stats().entries == 0
            assert (await told(client, "inner", count=90))["count"] == 90

    run(scenario)


class Slow(MemoryStore):
    """A store that waits until the test lets it go on."""

    def __init__(self):
        super().__init__()
        self.asked, self.may_go_on = threading.Event(), threading.Event()
        self.done = threading.Event()

    def put(self, key, record, *, now):
        self.asked.set()
        self.may_go_on.wait(30)
        super().put(key, record, now=now)
        self.done.set()


def test_a_call_that_is_cancelled_while_it_is_stored_leaves_nothing(framework, era):
    store = Slow()

    async def scenario():
        async with served(framework, inner, era=era, store=store) as client:
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:

                    async def cancel_when_it_is_stored():
                        await anyio.to_thread.run_sync(store.asked.wait, 30)
                        scope.cancel()

                    group.start_soon(cancel_when_it_is_stored)
                    await client.call_tool("inner", {"count": 90})
            await anyio.sleep(0.1)
            store.may_go_on.set()
            await anyio.to_thread.run_sync(store.done.wait, 60)
            with anyio.fail_after(60):
                while store.stats().entries:  # noqa: ASYNC110 (a store has no event)
                    await anyio.sleep(0.01)
            assert (await told(client, "inner", count=90))["count"] == 90

    run(scenario)
