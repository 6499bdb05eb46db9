import pytest

from penstock.core.budget.budget import Budget
from penstock.core.budget.hosts import PROFILES, profile
from penstock.errors import InvalidSetting


@pytest.mark.parametrize(
    ("name", "budget", "ceiling"),
    [
        ("claude.ai", "25kB", "150000ch"),
        ("claude-desktop", "25kB", "150000ch"),
        ("Claude Code", "25kB", "25000tok+50000ch*1.2"),
        ("codex", "10KiB+256lines", "10KiB+256lines"),
        ("copilot-cli", "10kB", "10kB"),
        ("qwen-code", "25000ch+1000lines", "25000ch+1000lines"),
        ("github_models", "4000tok*1.1", "4000tok*1.1"),
    ],
)
def test_profiles(name, budget, ceiling):
    host = profile(name)

    assert host.budget == Budget.parse(budget)
    assert host.ceiling == Budget.parse(ceiling)


def test_profiles_are_found_under_their_own_names_and_say_where_they_are_from():
    for name, host in PROFILES.items():
        assert profile(name) is host
        assert host.source
        assert host.above


def test_an_unknown_host_is_answered_with_the_known_ones():
    with pytest.raises(InvalidSetting, match=r"claude-desktop.*codex.*qwen-code"):
        profile("lynx")
