"""Code as users write it, for the type checker; nothing runs it.

`mypy` must accept every line. A line that it must refuse carries an ignore: `mypy` reports the ignores
that it does not need, so a wrong line that is accepted fails the check too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_type

from fastmcp import FastMCP
from mcp.server import MCPServer
from rest_framework.viewsets import ModelViewSet

from penstock import (
    AsyncGate,
    Budget,
    Call,
    Gate,
    Grid,
    Policy,
    Principal,
    Reply,
    default_meter,
    fit_rows,
    heavy,
    merge_input_schema,
    open_store,
    shaped,
)
from penstock.adapters.fastmcp import Penstock as FastMCPPenstock
from penstock.adapters.mcp import Penstock
from penstock.core.model.store import Loaded, Record, Stats, StoredEntry
from penstock.core.model.values import Mode
from penstock.django import mcp_heavy, mcp_ignore, mcp_tool

ROWS = [{"id": number} for number in range(5_000)]

# -- settings ----------------------------------------------------------------------------------

policy = Policy(
    explorer=False, app_only=["x"], budget="10kB", ttl="5m", modes="sql,full", page_size=50
)
Policy(budget=Budget(tokens=8_000), inline=None, modes=[Mode.PAGINATED], page_size="50", ttl=0.5)
Policy(except_={"a", "b"}, list_form="brief", tools={"list_*": {"heavy": True}}, heavy="on")
Policy(explorer=3.5)  # type: ignore[arg-type]
Policy(app_only=3)  # type: ignore[arg-type]
Policy(budget=None)  # type: ignore[arg-type]
Policy(tools={"a": 5})  # type: ignore[dict-item]
Policy(nonsense=1)  # type: ignore[call-arg]
Policy("10kB")  # type: ignore[call-arg]

assert_type(policy.budget, Budget)
assert_type(policy.inline, Budget | None)
assert_type(policy.ttl, float)
assert_type(policy.page_size, int)
assert_type(policy.explorer, bool)
assert_type(policy.modes, tuple[Mode, ...])
assert_type(policy.app_only, tuple[str, ...])
assert_type(policy.for_tool("a"), Policy)
assert_type(replace(policy, budget="2kB"), Policy)
replace(policy, budget=2.5)  # type: ignore[arg-type]
policy.budget = Budget(bytes=5_000)  # type: ignore[misc]
policy.nonsense  # type: ignore[attr-defined]  # noqa: B018 (it is there to be refused)
Policy.load({"host": "codex"}, environment={"PENSTOCK_TTL": "1h"}, file="penstock.toml")
Policy.load(file=5)  # type: ignore[arg-type]

# -- gates -------------------------------------------------------------------------------------


class MyStore:
    """A store of the user's own: it keeps nothing."""

    def put(self, key: str, record: Record, *, now: float) -> None: ...

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        return None

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        return []

    def touch(self, key: str, *, expires: float) -> None: ...

    def delete(self, key: str) -> None: ...

    def sweep(self, *, now: float) -> int:
        return 0

    def entries(self, owner: str | None, *, now: float) -> list[StoredEntry]:
        return []

    def stats(self) -> Stats:
        return Stats(entries=0, bytes=0)

    def close(self) -> None: ...


def rows(arguments: Mapping[str, Any]) -> list[dict[str, int]]:
    return ROWS[: arguments["count"]]


def rows_by_dict(arguments: dict[str, Any]) -> list[dict[str, int]]:
    return ROWS[: arguments.pop("count")]


def in_step() -> None:
    call = Call("rows", {"count": 3}, Principal("ada"))
    with Gate(policy, MyStore(), meter=default_meter()) as gate:
        assert_type(gate.call(call, rows), Reply)
        gate.call(call, rows_by_dict)
        assert_type(gate.offer(call, ROWS).wire(), bytes)
    Gate(store=open_store("sqlite:"))
    Gate("10kB")  # type: ignore[arg-type]
    Gate(policy, "sqlite:")  # type: ignore[arg-type]
    Gate(policy, object())  # type: ignore[arg-type]


async def awaited() -> None:
    async with AsyncGate(policy, MyStore()) as gate:
        assert_type(await gate.offer(Call("rows"), ROWS), Reply)
    AsyncGate({"budget": "10kB"})  # type: ignore[arg-type]


# -- servers -----------------------------------------------------------------------------------

official = MCPServer("inventory", middleware=[Penstock(policy, store=MyStore(), name="inventory")])
fast = FastMCP("inventory", middleware=[FastMCPPenstock(policy, store="sqlite:")])
Penstock(budget="10kB")  # type: ignore[call-arg]


@official.tool()
@heavy
def parts(kind: str) -> list[dict[str, str]]:
    return [{"kind": kind}]


@heavy(budget="2kB", page_size=50, ttl="5m", modes=["search", "paginated"])
def orders(city: str) -> list[str]:
    return [city]


@shaped
def sweep(start: int) -> Grid[dict[str, int]]:
    return Grid([[{"start": start}]])


assert_type(parts("bolt"), list[dict[str, str]])
assert_type(orders("Ede"), list[str])
orders(5)  # type: ignore[arg-type]
heavy(budget=2.5)  # type: ignore[call-overload]
heavy(nonsense=1)  # type: ignore[call-overload]

# -- Django ------------------------------------------------------------------------------------


@mcp_heavy(page_size=50)
class DeviceViewSet(ModelViewSet[Any]):
    @mcp_ignore
    def destroy(self, request: Any, *args: Any, **kwargs: Any) -> Any: ...

    @mcp_heavy
    def list(self, request: Any, *args: Any, **kwargs: Any) -> Any: ...


@mcp_tool("orders.cancel", "Cancel an order.", {"type": "object"}, write=True)
def cancel(arguments: Mapping[str, Any], request: Any) -> str:
    return str(arguments["id"])


@mcp_heavy("orders.all", "All orders.", {"type": "object"}, budget="10kB")
def all_orders(arguments: Mapping[str, Any], request: Any) -> Sequence[str]:
    return []


assert_type(cancel({}, None), str)
mcp_heavy(nonsense=1)  # type: ignore[call-overload]
mcp_tool("orders.cancel")  # type: ignore[call-arg]

# -- widgets and schemas -----------------------------------------------------------------------

fit_rows(ROWS, "claude", keep=["id"], choose="spread")
fit_rows(ROWS, choose="best")  # type: ignore[arg-type]
assert_type(merge_input_schema({"type": "object"}), dict[str, Any])
merge_input_schema("object")  # type: ignore[arg-type]
assert_type(default_meter().count("text"), int)
