"""Promises about configs of any content in any style of writing.

Undoing restores the whole config, to the byte. If the host has written its config anew in between,
every server and every other setting has the same value afterwards. No comment is lost.
"""

import json
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import event, given, settings
from hypothesis import strategies as st
from written_configs import (
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

from penstock.cli.several.servers_file import read_servers
from penstock.cli.together import plan_apart, plan_together
from penstock.cli.wrapping import Launcher, read, write
from penstock.cli.wrapping.jsonc import scan
from penstock.cli.wrapping.tree import plain

PENSTOCK = Launcher("/opt/penstock")
FEWER = settings(max_examples=settings.default.max_examples // 20)
seeds = st.integers(0, 10**9)
any_json = configs(local_entries | remote_entries)
any_toml = st.dictionaries(texts, toml_entries | toml_remotes, min_size=1, max_size=4)


class Folder:
    """A folder with one config."""

    def __init__(self, root, name, text):
        self.path = Path(root) / name
        self.path.write_bytes(text.encode())

    @property
    def text(self):
        return self.path.read_bytes().decode()

    def together(self):
        made = plan_together(self.text, self.path, PENSTOCK, remote=True)
        write(made)
        return made

    def apart(self):
        write(plan_apart(self.text, self.path))


def there_and_back(name, text):
    """Put the servers together and undo that. Return the plan, and both texts in between."""
    with TemporaryDirectory() as root:
        folder = Folder(root, name, text)
        made = folder.together()
        event("some servers move" if made.has_effect else "no server moves")
        if not made.has_effect:
            assert folder.text == text
            return made, text, ""
        between, servers = folder.text, read(made.servers_file.path)
        _check_servers(made)
        assert not folder.together().has_effect, "a second time changes nothing"
        folder.apart()
        assert folder.text == text
        return made, between, servers


def _check_servers(made):
    """Check that the one entry runs the servers that have moved, and no other."""
    file = read_servers(made.servers_file.path, made.path.parent)
    moved = {change.name: change.before for change in made.changes if change.action == "gather"}
    assert {one.name: one.values for one in file.servers if not one.is_off} == moved


@FEWER
@given(any_json, seeds)
def test_json_comes_back_to_the_byte(config, seed):
    text = JsonWriter(seed, strict=False).document(config)
    made, between, servers = there_and_back(".claude.json", text)
    if made.has_effect:
        assert set(comments(text)) == {*comments(between), *comments(servers)}


@FEWER
@given(any_json, seeds)
def test_json_without_comments_stays_so(config, seed):
    text = JsonWriter(seed, strict=True).document(config)
    _, between, servers = there_and_back("mcp.json", text)
    assert json.loads(between)
    assert not servers or json.loads(servers)


@FEWER
@given(any_toml, seeds)
def test_toml_comes_back_to_the_byte(servers, seed):
    text = TomlWriter(seed).document(servers)
    made, between, moved = there_and_back("config.toml", text)
    if made.has_effect:
        assert set(comments(text)) == {*comments(between), *comments(moved)}


@FEWER
@given(any_json, seeds, seeds)
def test_a_host_may_write_its_config_anew_in_between(config, seed, again):
    text = JsonWriter(seed, strict=False).document(config)
    with TemporaryDirectory() as root:
        folder = Folder(root, ".claude.json", text)
        if not folder.together().has_effect:
            return
        between = plain(scan(folder.text))
        between["added"] = [1]
        folder.path.write_bytes(JsonWriter(again, strict=False).document(between).encode())
        folder.apart()
        assert plain(scan(folder.text)) == {**config, "added": [1]}


@FEWER
@given(any_toml, seeds)
def test_codex_may_change_its_config_in_between(servers, seed):
    text = TomlWriter(seed).document(servers)
    with TemporaryDirectory() as root:
        folder = Folder(root, "config.toml", text)
        if not folder.together().has_effect:
            return
        lines = folder.text.split("\n")
        bare = [line for line in lines if not line.startswith("# penstock: servers, place")]
        changed = "\n".join(bare).replace('model = "x"', 'model = "y"')
        folder.path.write_bytes(f"{changed}\n[later]\na = 1\n".encode())
        folder.apart()
        before = tomllib.loads(text.removeprefix("\ufeff"))
        after = tomllib.loads(folder.text.removeprefix("\ufeff"))
        assert after == {**before, "model": "y", "later": {"a": 1}}
