"""Promises about configs of any content in any style of writing.

Undoing restores a config, to the byte for servers that the host starts. Wrapping twice is the same
as wrapping once. No comment is lost.
"""

import json
import tomllib
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from written_configs import (
    PLACES,
    JsonWriter,
    TomlWriter,
    comments,
    configs,
    local_entries,
    remote_entries,
    texts,
    toml_entries,
    toml_remotes,
)

from penstock.cli.wrapping import Launcher, plan, plan_undo
from penstock.cli.wrapping.jsonc import scan
from penstock.cli.wrapping.tree import plain

JSON = Path(".claude.json")
TOML = Path("config.toml")
FEWER = settings(max_examples=settings.default.max_examples // 20)

launchers = st.sampled_from(
    [
        Launcher("/opt/penstock"),
        Launcher("C:\\Program Files\\penstock.exe"),
        Launcher("/usr/bin/python3", ("-m", "penstock")),
    ]
)


@FEWER
@given(configs(local_entries), launchers, st.integers(0, 10**9))
def test_local_servers_come_back_to_the_byte(config, launcher, seed):
    text = JsonWriter(seed, strict=False).document(config)
    assert plain(scan(text)) == config
    made = plan(text, JSON, launcher)
    assert all(change.action == "wrap" for change in made.changes)
    assert sorted(comments(made.text)) == sorted(comments(text))
    assert not plan(made.text, JSON, launcher).has_effect
    assert plan_undo(made.text, JSON).text == text


@FEWER
@given(configs(local_entries), launchers, st.integers(0, 10**9))
def test_nothing_but_command_and_arguments_changes(config, launcher, seed):
    text = JsonWriter(seed, strict=True).document(config)
    made = plan(text, JSON, launcher)
    for change in made.changes:
        lead = [*launcher.leading_args, "run", "--host", "claude-code", "--"]
        own = [change.before["command"], *change.before.get("args", [])]
        wrapped = {"command": launcher.command, "args": [*lead, *own]}
        assert change.after == change.before | wrapped
    servers = {change.name: change.after for change in made.changes}
    place = next(place for place in PLACES if place({}).keys() <= config.keys())
    assert json.loads(made.text) == {"theme": config["theme"], **place(servers)}


@FEWER
@given(configs(local_entries | remote_entries), launchers, st.integers(0, 10**9))
def test_all_servers_come_back_as_equal_values(config, launcher, seed):
    text = JsonWriter(seed, strict=False).document(config)
    made = plan(text, JSON, launcher, remote=True)
    again = plan(made.text, JSON, launcher, remote=True)
    assert not again.has_effect
    back = plan_undo(made.text, JSON)
    assert plain(scan(back.text)) == config
    assert [list(change.before) for change in made.changes] == [
        list(change.after) for change in back.changes
    ], "in the same order"


@FEWER
@given(configs(local_entries | remote_entries), launchers)
def test_a_host_may_write_the_file_anew_in_between(config, launcher):
    text = json.dumps(config)
    made = plan(text, JSON, launcher, remote=True)
    rewritten = json.dumps(json.loads(made.text), indent=2)
    for change, back in zip(made.changes, plan_undo(rewritten, JSON).changes, strict=True):
        before = dict(change.before)
        if ("args", "command") in pairwise(before) and not before["args"]:
            del before["args"]  # only the text tells an empty list there from a missing one
        assert back.after == before


@FEWER
@given(st.dictionaries(texts, toml_entries, min_size=1, max_size=2), launchers, st.integers(0))
def test_toml_comes_back_to_the_byte(servers, launcher, seed):
    text = TomlWriter(seed).document(servers)
    made = plan(text, TOML, launcher)
    assert {change.name: change.before for change in made.changes} == servers
    assert all(change.action == "wrap" for change in made.changes)
    assert sorted(comments(made.text)) == sorted(comments(text))
    assert not plan(made.text, TOML, launcher).has_effect
    assert plan_undo(made.text, TOML).text == text


@FEWER
@given(st.dictionaries(texts, toml_remotes, min_size=1, max_size=2), launchers, st.integers(0))
def test_remote_servers_in_toml_come_back_as_equal_values(servers, launcher, seed):
    text = TomlWriter(seed).document(servers)
    made = plan(text, TOML, launcher, remote=True)
    assert not plan(made.text, TOML, launcher, remote=True).has_effect
    back = plan_undo(made.text, TOML).text
    assert tomllib.loads(back.removeprefix("\ufeff")) == tomllib.loads(text.removeprefix("\ufeff"))
