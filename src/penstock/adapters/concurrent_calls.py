"""The calls of a program inside a server, which run at the same time, each in a task."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from penstock.wire.outputs import Output, Outputs, ToClient


async def answer_of_program(
    outputs: Outputs, carry_out: Callable[[Output], Awaitable[Outputs]]
) -> bytes:
    """Carry out outputs, and all that they lead to, until there is an answer. Return the answer."""
    done, coming = anyio.create_memory_object_stream[Outputs](math.inf)
    answer = b""

    async def do(output: Output, done: MemoryObjectSendStream[Outputs]) -> None:
        await done.send(await carry_out(output))

    async with anyio.create_task_group() as group, done, coming:
        while not answer:
            for output in outputs:
                if not isinstance(output, ToClient):
                    group.start_soon(do, output, done)
                elif output.answers:
                    answer = output.message
            outputs = [] if answer else await coming.receive()
        group.cancel_scope.cancel()
    return answer
