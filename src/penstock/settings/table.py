"""The one definition of every setting.

The parsers, the environment variables, the command-line options, the keys of a Django site, the
table in docs/reference/settings.md and the types of `Policy` all come from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.core.budget.budget import Budget
from penstock.core.model.values import Mode, RowForm
from penstock.errors import InvalidSetting
from penstock.settings import parsers
from penstock.settings.parsers import (
    Table,
    WrittenBudget,
    WrittenFlag,
    WrittenNames,
    WrittenNumber,
    WrittenTime,
)
from penstock.settings.setting import Setting


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A value for every setting. Each value is checked alone, then against the others."""

    budget: Setting[WrittenBudget, Budget] = Setting(
        Budget.parse,
        "25kB",
        "The largest reply in every mode but `full`; the smallest budget is 1 kB, 1000ch or 500tok.",
        for_one="tool",
    )
    inline: Setting[WrittenBudget | None, Budget | None] = Setting(
        parsers.optional_budget,
        None,
        "The largest result that is passed on whole.",
        unset="the budget",
        for_one="tool",
    )
    ceiling: Setting[WrittenBudget, Budget] = Setting(
        Budget.parse,
        "150000ch",
        "The largest reply in mode `full`, and the largest that an MCP App gets.",
        for_one="tool",
    )
    shows_both: Setting[WrittenFlag, bool] = Setting(
        parsers.flag,
        "off",
        "Whether the host shows a model both content and structured content, so that both count "
        "against the budget even if one only repeats the other.",
    )
    hides_user_blocks: Setting[WrittenFlag, bool] = Setting(
        parsers.flag,
        "off",
        "Whether the host keeps blocks whose audience is the user alone from the model, so that "
        "they do not count against the budget.",
    )
    heavy: Setting[WrittenFlag, bool] = Setting(
        parsers.flag,
        "off",
        "Whether to answer with a probe whenever the probe is smaller than the result.",
        for_one="tool",
    )
    modes: Setting[WrittenNames, tuple[Mode, ...]] = Setting(
        parsers.modes,
        ", ".join(Mode),
        "The modes that are offered; `paginated` must be one of them, because it reaches everything.",
        for_one="tool",
    )
    page_size: Setting[WrittenNumber, int] = Setting(
        parsers.count, 20, "The number of rows in a page.", for_one="tool"
    )
    max_page_size: Setting[WrittenNumber, int] = Setting(
        parsers.count, 1_000, "The most rows that a caller gets in one page.", for_one="tool"
    )
    row_form: Setting[str, str] = Setting(
        parsers.choice(*RowForm),
        RowForm.AUTO.value,
        "How rows that share their keys are sent: as `objects`; as a `table`, with `columns` and "
        "`rows`; or `auto`, which sends answers of `sql`, `query` and `search` in the shorter form, "
        "and all other rows as objects.",
        for_one="tool",
    )
    preview: Setting[WrittenNumber, int] = Setting(
        parsers.count, 200, "The length of a probe's preview, in characters.", for_one="tool"
    )
    ttl: Setting[WrittenTime, float] = Setting(
        parsers.seconds,
        "5m",
        "The lifetime of a stored result; each read restarts it.",
        in_run="1h",
        for_one="tool",
    )
    max_ttl: Setting[WrittenTime, float] = Setting(
        parsers.seconds,
        "1h",
        "The longest lifetime of a stored result, however often it is read.",
        in_run="8h",
        for_one="tool",
    )
    bearer_ttl: Setting[WrittenTime, float] = Setting(
        parsers.seconds,
        "5m",
        "The lifetime of a stored result whose caller has no identity; reads do not extend it.",
        for_one="tool",
    )
    store: Setting[str, str] = Setting(
        parsers.text,
        "memory:",
        "Where results are kept: `memory:`, `sqlite:`, `sqlite:///PATH` or `redis://HOST`.",
    )
    capacity: Setting[WrittenNumber, int] = Setting(
        parsers.size,
        "256MB",
        "The most that a store in memory or SQLite holds; results of the party that holds the most "
        "are deleted.",
    )
    quota: Setting[WrittenNumber, int] = Setting(
        parsers.size,
        "64MB",
        "The share of one party (principal, session or address) of a store in memory or SQLite; in "
        "Redis, the largest single result.",
    )
    media_cap: Setting[WrittenNumber, int] = Setting(
        parsers.size,
        "1MB",
        "The largest image or audio, as encoded, that is sent with a reply, outside the budget.",
        for_one="tool",
    )
    max_upstream: Setting[WrittenNumber, int] = Setting(
        parsers.message_size,
        "256MB",
        "The longest message that `run` and `serve` read from upstream: a line, an event, or a body "
        "once it is decompressed.",
    )
    call_timeout: Setting[WrittenTime | None, float | None] = Setting(
        parsers.optional_seconds,
        None,
        "How long `run` and `serve` wait for upstream's answer to a call; then the agent gets an error, "
        "and upstream a cancellation.",
        unset="off",
        for_one="tool",
    )
    results_to: Setting[WrittenNames, tuple[str, ...]] = Setting(
        parsers.names,
        (),
        "The servers of `--servers`, by name, that are reached by URL and whose tools may all the same "
        "get results of other servers through `@result:`.",
        unset="none",
    )
    query_seconds: Setting[WrittenTime, float] = Setting(
        parsers.seconds, "5s", "The longest that one `sql` or `query` may run."
    )
    query_memory: Setting[WrittenNumber, int] = Setting(
        parsers.size, "256MB", "The most memory that one `sql` or `query` may use."
    )
    query_rows: Setting[WrittenNumber, int] = Setting(
        parsers.count,
        100_000,
        "The most rows that `sql`, `query` and `search` read, and that the copy of a live list holds.",
    )
    programs: Setting[str, str] = Setting(
        parsers.programs,
        "auto",
        "Whether agents may run Python programs that call tools: `on` lists `run_python` in every "
        "form, `only` lists nothing else but tools that find, describe and read, `write` adds "
        "`run_python_with_writes`, `only,write` does both, `off` offers no programs, and `auto` "
        "lists `run_python` in an index.",
        for_one="client",
    )
    program_seconds: Setting[WrittenTime, float] = Setting(
        parsers.seconds,
        "1m",
        "The longest that one program may take, with all the time that it waits for tools.",
    )
    program_memory: Setting[WrittenNumber, int] = Setting(
        parsers.size, "256MB", "The most memory that one program may use for its values."
    )
    program_calls: Setting[WrittenNumber, int] = Setting(
        parsers.count, 100, "The most calls of tools that one program may make."
    )
    only: Setting[WrittenNames, tuple[str, ...]] = Setting(
        parsers.names,
        (),
        "The tools that Penstock keeps inside the budget, by name or by pattern such as `list_*`.",
        unset="all",
    )
    except_: Setting[WrittenNames, tuple[str, ...]] = Setting(
        parsers.names,
        (),
        "The tools, by name or pattern, that Penstock leaves alone.",
        name="except",
    )
    list_form: Setting[str, str] = Setting(
        parsers.choice("auto", "full", "signatures", "brief", "index"),
        "auto",
        "How tools are listed: `full`; `signatures`, each in a sentence with its parameters; `brief`, "
        "each in a sentence; `index`, a few tools that find, describe and call all others; or `auto`, "
        "as much as is needed to act and fits.",
        name="list",
        for_one="client",
    )
    list_budget: Setting[WrittenBudget, Budget] = Setting(
        parsers.list_budget,
        "2000tok",
        "The largest list of tools; the smallest setting is 800tok, 4kB or 4000ch.",
        for_one="client",
    )
    always: Setting[WrittenNames, tuple[str, ...]] = Setting(
        parsers.names,
        (),
        "The tools, by name or pattern, that every form lists in full.",
        for_one="client",
    )
    app_only: Setting[WrittenNames, tuple[str, ...]] = Setting(
        parsers.names,
        (),
        "The tools, by name or pattern, that only apps call: only clients that show apps get them, "
        "and these clients hide them from the model.",
    )
    explorer: Setting[WrittenFlag, bool] = Setting(
        parsers.flag,
        "on",
        "Whether clients that show apps get `show_result`, which shows users a stored result.",
    )
    gate: Setting[str, str] = Setting(
        parsers.choice("off", "teach", "strict"),
        "teach",
        "What happens to a call of a tool that is not listed in full: `teach` answers invalid "
        "arguments with the tool's description, `strict` refuses the call until the description "
        "has been read, `off` lets the call through.",
        for_one="client",
    )
    descriptions: Setting[str, str] = Setting(
        parsers.optional_text,
        "",
        "A folder of JSON files, one for each tool, whose texts replace the server's.",
    )
    grant_ttl: Setting[WrittenTime, float] = Setting(
        parsers.seconds,
        "1h",
        "How long the description of an unused tool counts as read, for `gate`.",
    )
    stats: Setting[WrittenFlag, bool] = Setting(
        parsers.flag,
        "off",
        "Whether to add to the figures that `penstock stats` shows; also on in `serve`, and off "
        "with `--no-stats`.",
        in_run="on",
    )
    tools: Setting[Table, Table] = Setting(
        parsers.table_of("tools"),
        {},
        "Settings for one tool, or for all tools whose names match a pattern.",
    )
    clients: Setting[Table, Table] = Setting(
        parsers.table_of("clients"),
        {},
        "Settings for one client, by the name it reports, or for all clients that match a pattern.",
    )

    def __post_init__(self) -> None:
        _require("max_page_size", self.max_page_size, self.max_page_size >= self.page_size,
                 f"must be at least page_size, {self.page_size}. Raise max_page_size too")  # fmt: skip
        _require("max_ttl", self.max_ttl, self.max_ttl >= self.ttl,
                 f"must be at least ttl, {self.ttl:g} seconds. Raise max_ttl too")  # fmt: skip
        _require("modes", [*map(str, self.modes)], Mode.PAGINATED in self.modes,
                 "must include paginated, because it reaches everything")  # fmt: skip


def _require(name: str, value: Any, holds: bool, why: str) -> None:
    if not holds:
        raise InvalidSetting(name, value, why)


def _for_one(kind: str) -> tuple[str, ...]:
    return tuple(name for name, setting in SETTINGS.items() if setting.for_one == kind)


# The keys are the names that users write. `Setting.field` is the name in Python.
SETTINGS: Final[Mapping[str, Setting[Any, Any]]] = {
    field.name: field for field in vars(Settings).values() if isinstance(field, Setting)
}
# The settings that hold other settings, and the settings that each may hold.
TABLES: Final[Mapping[str, Sequence[str]]] = {
    "tools": _for_one("tool"),
    "clients": _for_one("client"),
}
# One user waits behind `penstock run`, and its store is bounded. So results may live longer there.
RUN_DEFAULTS: Final[Mapping[str, Any]] = {
    name: setting.in_run for name, setting in SETTINGS.items() if setting.in_run is not None
}
SERVE_DEFAULTS: Final[Mapping[str, Any]] = {"stats": RUN_DEFAULTS["stats"]}
# Not a field of `Settings`: a host profile sets other settings.
HOST: Final = Setting(
    parsers.profile,
    "",
    "The host whose profile sets `budget`, `ceiling`, `shows_both` and `hides_user_blocks`, such "
    "as `claude-code` or `codex`.",
    name="host",
)


def as_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings under the names of their fields. Refuse an unknown name."""
    for name, value in settings.items():
        if name not in SETTINGS:
            step = f"Use one of: {', '.join(SETTINGS)}, {HOST.name}."
            raise InvalidSetting(name, value, "there is no such setting", next_step=step)
    return {SETTINGS[name].field: value for name, value in settings.items()}
