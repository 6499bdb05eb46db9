"""Every setting, from every source, in order of precedence. The error of a bad one names it."""

from __future__ import annotations

import pytest

from penstock.core.budget.budget import Budget
from penstock.core.model.values import Mode
from penstock.errors import InvalidSetting
from penstock.settings.policy import Policy
from penstock.settings.table import RUN_DEFAULTS, SETTINGS, TABLES

KB = 1_000


@pytest.fixture
def config(tmp_path):
    def write(text):
        path = tmp_path / "penstock.toml"
        path.write_text(text, "utf-8")
        return path

    return write


def test_defaults_are_those_of_the_design():
    policy = Policy()
    assert policy.budget == Budget(bytes=25 * KB)
    assert policy.inline_budget == policy.budget
    assert policy.ceiling == Budget(chars=150_000)
    assert (policy.page_size, policy.max_page_size, policy.preview) == (20, 1_000, 200)
    assert (policy.ttl, policy.max_ttl, policy.bearer_ttl) == (300, 3_600, 300)
    assert (policy.store, policy.capacity, policy.quota) == ("memory:", 256 * KB**2, 64 * KB**2)
    assert policy.media_cap == KB**2
    assert (policy.query_seconds, policy.query_memory, policy.query_rows) == (
        5,
        256 * KB**2,
        100_000,
    )
    assert policy.modes == tuple(Mode)


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("budget", "10kB", Budget(bytes=10 * KB)),
        ("inline", "4KiB", Budget(bytes=4_096)),
        ("ceiling", "8000tok", Budget(tokens=8_000)),
        ("heavy", "yes", True),
        ("heavy", "off", False),
        ("modes", "full, paginated", (Mode.PAGINATED, Mode.FULL)),
        ("modes", ["paginated", "sql"], (Mode.SQL, Mode.PAGINATED)),
        ("page_size", "1_000", 1_000),
        ("max_page_size", "2000", 2_000),
        ("row_form", "table", "table"),
        ("shows_both", "on", True),
        ("hides_user_blocks", "on", True),
        ("preview", 50, 50),
        ("ttl", "5m", 300),
        ("max_ttl", "1.5h", 5_400),
        ("max_upstream", "8MB", 8_000_000),
        ("call_timeout", "Off", None),
        ("results_to", "sheets, cloud", ("sheets", "cloud")),
        ("bearer_ttl", 60, 60),
        ("store", "sqlite:x.db", "sqlite:x.db"),
        ("capacity", "1GB", KB**3),
        ("quota", "64MiB", 64 * 2**20),
        ("media_cap", "1.5MB", 1_500_000),
        ("query_seconds", "0.5", 0.5),
        ("query_memory", "128MB", 128 * KB**2),
        ("query_rows", "10", 10),
        ("programs", "write", "write"),
        ("program_seconds", "30s", 30),
        ("program_memory", "64MB", 64 * KB**2),
        ("program_calls", "7", 7),
        ("only", "list_*, get", ("list_*", "get")),
        ("list_budget", "8ktok", Budget(tokens=8_000)),
        ("always", "find*, get", ("find*", "get")),
        ("app_only", ["draw"], ("draw",)),
        ("explorer", "off", False),
        ("stats", "on", True),
        ("gate", "strict", "strict"),
        ("descriptions", "some/folder", "some/folder"),
        ("grant_ttl", "10m", 600),
    ],
)
def test_every_setting_can_be_written(name, written, value, config):
    assert getattr(Policy(**{name: written}), name) == value
    assert getattr(Policy.load({name: written}), name) == value
    if isinstance(written, str):
        environment = {f"PENSTOCK_{name.upper()}": written}
        assert getattr(Policy.load(environment=environment), name) == value
        assert getattr(Policy.load(file=config(f'{name} = "{written}"')), name) == value


def test_every_setting_was_tried():
    mark = test_every_setting_can_be_written.pytestmark[0]
    elsewhere = {"except", "list", "tools", "clients"}
    assert {case[0] for case in mark.args[1]} | elsewhere == {*SETTINGS}


def test_precedence(config):
    """The order is command line, environment, file, host, default. Each step removes one."""
    file = config('host = "codex"\nbudget = "3kB"')
    environment = {"PENSTOCK_BUDGET": "2kB"}
    found = [
        Policy.load({"budget": "1kB"}, environment=environment, file=file),
        Policy.load({"budget": None}, environment=environment, file=file),
        Policy.load(environment={"PENSTOCK_BUDGET": " "}, file=file),
        Policy.load(file=config('host = "codex"')),
        Policy.load(),
    ]
    assert [policy.budget.bytes for policy in found] == [KB, 2 * KB, 3 * KB, 10_240, 25 * KB]
    assert found[0].ceiling.lines == 256


def test_the_host_too_has_a_precedence(config):
    file = config('host = "codex"')
    environment = {"PENSTOCK_HOST": "qwen-code"}
    assert (
        Policy.load({"host": "copilot-cli"}, environment=environment, file=file).budget.bytes
        == 10_000
    )
    assert Policy.load(environment=environment, file=file).budget.chars == 25_000


def test_settings_of_one_tool(config):
    file = config(
        """
        page_size = 30
        [tools."list_*"]
        page_size = 50
        budget = "2kB"
        [tools.list_users]
        page_size = 60
        heavy = true
        """
    )
    policy = Policy.load(file=file)
    assert policy.for_tool("other") is policy
    assert policy.for_tool("list_things").page_size == 50
    users = policy.for_tool("list_users")
    assert (users.page_size, users.budget.bytes, users.heavy) == (60, 2 * KB, True)


def test_one_tool_may_go_back_to_its_budget():
    policy = Policy(inline="5kB", tools={"t": {"inline": None}})
    assert policy.for_tool("t").inline_budget == policy.budget


@pytest.mark.parametrize("name", TABLES["tools"])
def test_what_can_be_set_for_one_tool(name):
    written = {"heavy": "yes", "modes": "sql paginated", "ttl": 10, "max_ttl": 4_000}.get(
        name, 2_000
    )
    written = {"page_size": 500, "row_form": "table"}.get(name, written)
    assert Policy(tools={"t": {name: written}}).for_tool("t") != Policy()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("budget", "999B"),
        ("budget", "10 parsecs"),
        ("budget", ""),
        ("budget", True),
        ("budget", 10),
        ("inline", "1"),
        ("ceiling", "-5kB"),
        ("heavy", "maybe"),
        ("modes", "sql, magic"),
        ("modes", []),
        ("modes", ["sql"]),
        ("modes", 7),
        ("page_size", 0),
        ("page_size", "many"),
        ("page_size", 1.5),
        ("page_size", True),
        ("page_size", 2_000),
        ("max_page_size", 10),
        ("preview", -1),
        ("ttl", "0s"),
        ("ttl", "-5"),
        ("ttl", "5 fortnights"),
        ("ttl", 4_000),
        ("max_ttl", 10),
        ("bearer_ttl", "never"),
        ("store", ""),
        ("store", 7),
        ("capacity", "lots"),
        ("quota", 0),
        ("media_cap", None),
        ("query_seconds", "inf"),
        ("query_memory", "1XB"),
        ("query_rows", "1e9"),
        ("tools", 7),
        ("tools", {"t": 7}),
        ("tools", {"t": {"store": "memory:"}}),
        ("tools", {"t": {"page_size": "x"}}),
        ("tools", {"t": {"page_size": 5_000}}),
        ("tools", {"t": {"max_ttl": 1}}),
    ],
    ids=repr,
)
def test_a_bad_setting_names_itself_at_the_start(name, value):
    with pytest.raises(InvalidSetting) as raised:
        Policy(**{name: value})
    named = {"page_size": ("page_size", "max_page_size"), "ttl": ("ttl", "max_ttl")}
    assert raised.value.setting.startswith(named.get(name, (name,)))
    assert raised.value.setting in str(raised.value)
    assert raised.value.next_step


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"tools": {"t": {"page_size": "x"}}}, "tools.t.page_size"),
        ({"tools": {"t": {"max_ttl": 1}}}, "tools.t.max_ttl"),
        ({"bugdet": "1kB"}, "bugdet"),
        ({"host": "emacs"}, "host"),
    ],
)
def test_how_it_is_named(settings, named):
    with pytest.raises(InvalidSetting) as raised:
        Policy.load(settings)
    assert raised.value.setting == named


@pytest.mark.parametrize("name", ["capacity", "max_upstream", "call_timeout", "ttl"])
def test_a_limit_that_is_too_large_names_itself(name):
    with pytest.raises(InvalidSetting, match=f"^{name} = '9+': must be at most "):
        Policy(**{name: "9" * 400})


@pytest.mark.parametrize("written", [0, -1, "never", False])
def test_an_unusable_time_of_a_call_tells_how_to_have_none(written):
    with pytest.raises(InvalidSetting, match=r"^call_timeout = .*; off means no limit"):
        Policy(call_timeout=written)


@pytest.mark.parametrize("content", ["budget = ", "buget = '1kB'", "[tools]\nx = 3"])
def test_a_bad_file_is_named(content, config):
    with pytest.raises(InvalidSetting):
        Policy.load(file=config(content))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InvalidSetting, match=r"missing\.toml"):
        Policy.load(file=tmp_path / "missing.toml")


def test_a_file_that_is_not_text(tmp_path):
    path = tmp_path / "penstock.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidSetting, match="config file"):
        Policy.load(file=path)


# -- lists of tools ----------------------------------------------------------------------------


def test_the_form_of_a_list(config):
    assert Policy().list_form == "auto"
    assert Policy.load({"list": "brief"}).list_form == "brief"
    assert Policy.load(environment={"PENSTOCK_LIST": "index"}).list_form == "index"
    assert Policy.load(file=config('list = "full"')).list_form == "full"
    with pytest.raises(
        InvalidSetting, match=r"list = 'tree': must be one of: auto, full"
    ) as caught:
        Policy.load({"list": "tree"})
    assert caught.value.setting == "list"


@pytest.mark.parametrize("written", ["1tok", "700tok", "1000tok*2", "3999B", "2kch", 100])
def test_a_list_has_room_for_penstocks_own_tools(written):
    with pytest.raises(InvalidSetting, match="must be at least 800tok, 4kB or 4000ch"):
        Policy(list_budget=written)


def test_a_list_budget_that_cannot_be_read():
    with pytest.raises(InvalidSetting, match="list_budget") as caught:
        Policy(list_budget="many")
    assert "8000tok" in caught.value.next_step


def test_settings_of_one_client(config):
    file = config("""
        list = "brief"
        [clients."claude-code*"]
        list = "full"
        [clients.my-agent]
        list_budget = "1200tok"
        gate = "strict"
    """)
    policy = Policy.load(file=file)
    assert policy.for_client("claude-code-2").list_form == "full"
    mine = policy.for_client("my-agent")
    assert (mine.list_form, mine.gate, mine.list_budget) == (
        "brief",
        "strict",
        Budget(tokens=1_200),
    )
    assert policy.for_client("anybody") is policy
    assert policy.for_client("my-agent") is mine, "built once"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"list": "tree"}, r"clients\.x\.list = 'tree'"),
        ({"budget": "1kB"}, "cannot be set for one client"),
        ({"lists": "full"}, "there is no such setting"),
        ("full", "must be a table of settings"),
    ],
)
def test_bad_settings_of_one_client(settings, says):
    with pytest.raises(InvalidSetting, match=says):
        Policy(clients={"x": settings})


def test_tools_that_are_always_listed_are_looked_for():
    assert Policy(always=["a", "b*"]).unmatched(["a", "c"]) == ["b*"]


RUN = {"ttl": "1h", "max_ttl": "8h", "stats": "on"}


@pytest.mark.parametrize(
    ("written", "lives"),
    [
        ("", (3_600, 28_800)),
        ('ttl = "2h"', (7_200, 28_800)),
        ('ttl = "2m"', (120, 28_800)),
        ('max_ttl = "10m"', (600, 600)),
        ('max_ttl = "24h"', (3_600, 86_400)),
        ('[tools."t"]\nmax_ttl = "30m"', (1_800, 1_800)),
        ('[tools."t"]\nmax_ttl = "2h"', (3_600, 7_200)),
        ('max_ttl = "20m"\n[tools."t"]\nmax_ttl = "2h"', (1_200, 7_200)),
        ('[tools."t"]\nttl = "2h"', (7_200, 28_800)),
    ],
)
def test_the_defaults_of_a_command_are_weaker_than_every_source(config, written, lives):
    """A `max_ttl` below the default `ttl` is no contradiction: the user did not choose that `ttl`."""
    assert RUN_DEFAULTS == RUN
    policy = Policy.load(file=config(written), defaults=RUN_DEFAULTS).for_tool("t")
    assert (policy.ttl, policy.max_ttl) == lives


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ('ttl = "2h"\nmax_ttl = "1h"', "max_ttl"),
        ('max_ttl = "soon"', "max_ttl"),
        ('[tools.t]\nmax_ttl = "soon"', "tools.t.max_ttl"),
        ('ttl = "2h"\n[tools.t]\nmax_ttl = "1h"', "tools.t.max_ttl"),
        ("[tools]\nt = 5", "tools.t"),
        ("tools = 5", "tools"),
    ],
)
def test_beside_defaults_of_a_command_a_bad_setting_still_names_itself(config, written, named):
    with pytest.raises(InvalidSetting) as caught:
        Policy.load(file=config(written), defaults=RUN_DEFAULTS)
    assert caught.value.setting == named
