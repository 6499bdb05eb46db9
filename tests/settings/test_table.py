"""The table of settings: its fields, and the meaning of each."""

import inspect
import re

import pytest

from penstock import HeavyOptions, Policy
from penstock.cli.options import OPTIONS
from penstock.settings.setting import Setting
from penstock.settings.table import HOST, SETTINGS, TABLES, Settings


def test_every_field_is_a_setting():
    accepted = inspect.signature(Policy).parameters
    assert [setting.field for setting in SETTINGS.values()] == list(accepted)
    assert all(isinstance(each.default, Setting) for each in accepted.values())


@pytest.mark.parametrize("setting", [HOST, *SETTINGS.values()], ids=lambda each: each.name)
def test_a_meaning_is_one_plain_sentence(setting):
    """The help of the command line shows it too, and cannot show links."""
    assert re.fullmatch(r"[A-Z][^|\[\]%\n]*[^.]\.", setting.meaning)
    assert ". " not in setting.meaning


def test_which_may_be_set_for_one_tool_or_one_client():
    assert TABLES["tools"] == (
        "budget", "inline", "ceiling", "heavy", "modes", "page_size", "max_page_size", "row_form",
        "preview", "ttl", "max_ttl", "bearer_ttl", "media_cap", "call_timeout",
    )  # fmt: skip
    assert TABLES["clients"] == ("programs", "list", "list_budget", "always", "gate")


def test_every_option_of_the_command_line_is_a_setting():
    assert {*OPTIONS} <= {*SETTINGS, HOST.name}


@pytest.mark.parametrize("name", HeavyOptions.__annotations__)
def test_an_option_of_heavy_is_a_setting_of_one_tool(name):
    assert name in TABLES["tools"]
    written = HeavyOptions.__annotations__[name].__forward_arg__
    assert Settings.__annotations__[name].startswith(f"Setting[{written}, ")


def test_a_signature_shows_the_defaults():
    assert "ttl: 'Setting[WrittenTime, float]' = '5m'" in str(inspect.signature(Policy))


def test_a_policy_does_not_change():
    with pytest.raises(AttributeError, match="budget"):
        Policy().budget = "1kB"
    with pytest.raises(AttributeError, match="list"):
        Policy().list = "index"  # the field is `list_form`


def test_policies_of_tools_share_one_table():
    policy = Policy(tools={f"tool_{n}": {"budget": "2kB"} for n in range(20)})
    built = [policy.for_tool(f"tool_{n}") for n in range(20)]
    assert {id(each.tools) for each in built} == {id(policy.tools)}


def test_policies_share_nothing():
    one, other = Policy(), Policy()
    assert one == other
    assert one.tools is not other.tools
