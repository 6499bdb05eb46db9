"""The official Python client, kept open in its own thread, so that tests can share it."""

import asyncio
import sys
import threading
from concurrent.futures import Future
from contextlib import asynccontextmanager

from environments import clean_environment
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    Root,
    TextContent,
)
from relay_processes import PATIENCE, RUN

ERAS = {"legacy": "legacy", "modern": "auto"}


class Heard:
    """The messages and questions that a client got from its server."""

    def __init__(self):
        self.logs: list[str] = []
        self.messages: list[str] = []
        self.questions: list[str] = []
        self._news = asyncio.Event()

    async def until(self, condition):
        async with asyncio.timeout(PATIENCE):
            while not condition(self):
                self._news.clear()
                await self._news.wait()

    async def log(self, params):
        self.logs.append(params.data)
        self._news.set()

    async def message(self, message):
        self.messages.append(getattr(message, "method", repr(message)))
        self._news.set()

    async def sample(self, _context, params):
        self.questions.append(params.messages[0].content.text)
        return CreateMessageResult(role="assistant", content=TextContent(text="42"), model="m")

    async def elicit(self, _context, params):
        self.questions.append(params.message)
        return ElicitResult(action="accept", content={"name": "Ada"})

    async def roots(self, _context):
        self.questions.append("roots")
        return ListRootsResult(roots=[Root(uri="file:///home/ada")])


class SdkClient:
    """A client. `run` awaits a coroutine function of the client and its `Heard`."""

    def __init__(self, command, *options, mode="auto", behind=True):
        relay = [*RUN, *options, "--", *command] if behind else list(command)
        self._target = StdioServerParameters(
            command=relay[0], args=relay[1:], env=clean_environment()
        )
        self._mode = mode
        self._loop = asyncio.new_event_loop()
        self._open: Future = Future()
        self._close = asyncio.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()
        self.client, self.heard = self._open.result(PATIENCE)

    def _live(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._hold())

    async def _hold(self):
        try:
            async with connected(self._target, self._mode) as opened:
                self._open.set_result(opened)
                await self._close.wait()
        except BaseException as error:
            if not self._open.done():
                self._open.set_exception(error)
            raise

    def run(self, function):
        task = function(self.client, self.heard)
        return asyncio.run_coroutine_threadsafe(task, self._loop).result(PATIENCE)

    def close(self):
        self._loop.call_soon_threadsafe(self._close.set)
        self._thread.join(PATIENCE)
        self._loop.close()


@asynccontextmanager
async def connected(target, mode):
    heard = Heard()
    client = Client(
        stdio_client(target, errlog=sys.__stderr__),
        mode=mode,
        sampling_callback=heard.sample,
        elicitation_callback=heard.elicit,
        list_roots_callback=heard.roots,
        logging_callback=heard.log,
        log_level="info",
        message_handler=heard.message,
        cache=None,
    )
    async with client:
        yield client, heard


def payload(result):
    """Return a result as plain values, without the field that only one era has."""
    told = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {name: value for name, value in told.items() if name not in ("resultType", "_meta")}
