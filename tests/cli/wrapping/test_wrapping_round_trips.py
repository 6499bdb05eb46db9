"""Promises about configs of any content in any style of writing.

Undoing restores a config, to the byte for servers that the host starts. Wrapping twice is the same
as wrapping once. No comment is lost.
"""

import json
import re
import tomllib
from itertools import count, pairwise
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.cli.wrapping import Launcher, plan, plan_undo
from penstock.cli.wrapping.invocation import recognise
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
words = st.sampled_from(["--", "run", "-y", "penstock", "--url", "", "a b", '"', "\\", "}", "#"])
texts = words | st.text(max_size=6)
commands = st.sampled_from(["npx", "./run.sh", "C:\\My Tools\\x.exe", "/opt/ü \"q\" 'r'", "run"])
others = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


def shuffled(members):
    return members.flatmap(lambda found: st.permutations(list(found.items()))).map(dict)


def is_new(entry):
    return not recognise(entry["command"], entry.get("args", []))


local_entries = shuffled(
    st.fixed_dictionaries(
        {"command": commands},
        optional={
            "args": st.just([]) | st.lists(texts, max_size=3),
            "env": st.dictionaries(texts, texts, max_size=2),
            "type": st.just("stdio"),
            "disabled": st.booleans(),
            "anything": others,
        },
    )
).filter(is_new)
headers = st.dictionaries(texts, texts, max_size=2).map(lambda found: {"X-Key": "k", **found})
remote_entries = st.sampled_from(["url", "serverUrl", "httpUrl"]).flatmap(
    lambda key: shuffled(
        st.fixed_dictionaries(
            {key: st.sampled_from(["https://a.example/mcp", "http://localhost:8000/ü?a=%20"])},
            optional={
                "headers": headers | st.just({}),
                "type": st.sampled_from(["http", "streamable-http", "streamableHttp"]),
                "disabled": st.booleans(),
                "anything": others,
            },
        )
    )
)


def configs(entries):
    """Draw a config with servers in one of the possible places, beside another setting."""
    servers = st.dictionaries(texts, entries, min_size=1, max_size=2)
    return st.builds(
        lambda place, found, theme: {"theme": theme, **place(found)},
        st.sampled_from(PLACES),
        servers,
        others,
    )


PLACES = [
    lambda servers: {"mcpServers": servers},
    lambda servers: {"servers": servers},
    lambda servers: {"mcp": {"servers": servers}},
    lambda servers: {"projects": {"mcpServers": {"mcpServers": servers}}},
]


class JsonWriter:
    """A writer that draws its style: indentation, comments, commas, escapes."""

    def __init__(self, seed, *, strict):
        self.chance = Random(seed)
        self.strict = strict
        self.newline = self.chance.choice(["\n", "\r\n"])
        self.indent = self.chance.choice([None, "  ", "\t"])
        self.joint = self.chance.choice([":", ": ", " : "])
        self.wild = not strict and self.chance.random() < 0.5
        self.number = count()

    def document(self, value):
        mark = self.chance.choice(["", "" if self.strict else "\ufeff"])
        return mark + self.noise() + self.text(value, 0) + self.chance.choice(["", self.newline])

    def text(self, value, depth):
        if isinstance(value, dict):
            members = [
                self.string(name)
                + self.noise()
                + self.joint
                + self.noise()
                + self.text(one, depth + 1)
                for name, one in value.items()
            ]
            return self.container("{}", members, depth)
        if isinstance(value, list):
            return self.container("[]", [self.text(one, depth + 1) for one in value], depth)
        return self.string(value) if isinstance(value, str) else json.dumps(value)

    def container(self, brackets, parts, depth):
        flat = self.indent is None or self.chance.random() < 0.3
        line = "" if flat else self.newline + self.indent * (depth + 1)
        separator = "," + (line or self.chance.choice(["", " "]))
        inside = separator.join(self.noise() + part + self.noise() for part in parts)
        if parts and not self.strict and self.chance.random() < 0.3:
            inside += "," + self.noise()
        if not parts:
            return brackets[0] + self.noise() + brackets[1]
        closing = "" if flat else self.newline + self.indent * depth
        return brackets[0] + line + inside + closing + brackets[1]

    def string(self, value):
        return json.dumps(value, ensure_ascii=self.chance.random() < 0.5)

    def noise(self):
        if not self.wild or self.chance.random() < 0.6:
            return ""
        number = next(self.number)
        end = self.chance.choice(["\n", "\r\n", "\r", "\n\t"])
        return self.chance.choice(
            [" ", "\n\n  ", "\t", f"/*c{number}; [{{,*/", f' // c{number}; "args": [{end}']
        )


def comments(text):
    return re.findall(r"c\d+;", text)


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


class TomlWriter:
    """A writer of Codex configs in every form that TOML has for tables and strings."""

    def __init__(self, seed):
        self.chance = Random(seed)
        self.newline = self.chance.choice(["\n", "\r\n"])
        self.number = count()

    def document(self, servers):
        top, sections = ['model = "x"'], []
        for name, entry in servers.items():
            form = self.chance.choice(["section", "section", "inline", "dotted"])
            path = f"mcp_servers.{self.key(name)}"
            if form == "inline":
                top.append(f"{path} = {self.inline(entry)}")
            elif form == "dotted":
                top += [f"{path}.{self.statement(*member)}" for member in entry.items()]
            else:
                sections += self.section(path, entry)
        lines = [self.noise() + line + self.comment() for line in (*top, *sections)]
        end = self.chance.choice(["", self.newline])
        return self.chance.choice(["", "\ufeff"]) + self.newline.join(lines) + end

    def section(self, path, entry):
        indent = self.chance.choice(["", "", "  ", "\t"])
        nested = {
            key: value
            for key, value in entry.items()
            if isinstance(value, dict) and self.chance.random() < 0.5
        }
        yield f"{indent}[ {path} ]"
        yield from (
            indent + self.statement(key, value) for key, value in entry.items() if key not in nested
        )
        yield f"[other.n{next(self.number)}]"
        yield "date = 2026-01-02 03:04:05"
        for key, value in nested.items():
            yield f"[{path}.{self.key(key)}]"
            yield from (self.statement(*member) for member in value.items())

    def statement(self, key, value):
        return self.key(key) + self.chance.choice(["=", " = ", "\t="]) + self.value(value)

    def value(self, value):
        if isinstance(value, dict):
            return self.inline(value)
        if isinstance(value, list):
            return self.array(value)
        return self.string(value) if isinstance(value, str) else json.dumps(value)

    def inline(self, value):
        return "{" + ", ".join(self.statement(*member) for member in value.items()) + " }"

    def array(self, value):
        line = self.chance.choice(["", self.newline + "  "])
        parts = [line + self.value(one) for one in value]
        noise = self.comment() + self.newline if line else ""
        return "[" + (self.comment() + line if line else "") + ",".join(parts) + noise + "]"

    def key(self, name):
        bare = re.fullmatch(r"[A-Za-z0-9_-]+", name) and self.chance.random() < 0.7
        return name if bare else self.string(name, several_lines=False)

    def string(self, value, *, several_lines=True):
        basic = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        forms = [basic]
        if value.isprintable() and "'" not in value:
            forms.append(f"'{value}'")
        if several_lines:
            forms.append(f'""{basic}""')
        return self.chance.choice(forms)

    def comment(self):
        return f" # c{next(self.number)}; [x]" if self.chance.random() < 0.2 else ""

    def noise(self):
        return self.chance.choice(
            ["", "", "", self.newline, f"# c{next(self.number)};{self.newline}"]
        )


toml_values = st.booleans() | st.integers(-9, 9) | texts
toml_entries = shuffled(
    st.fixed_dictionaries(
        {"command": commands},
        optional={
            "args": st.just([]) | st.lists(texts, max_size=3),
            "env": st.dictionaries(texts, texts, max_size=2),
            "enabled": st.booleans(),
            "anything": toml_values | st.lists(toml_values, max_size=2),
        },
    )
).filter(is_new)
toml_remotes = shuffled(
    st.fixed_dictionaries(
        {"url": st.just("https://a.example/mcp")},
        optional={
            "bearer_token_env_var": st.just("TOKEN"),
            "http_headers": headers,
            "env_http_headers": st.dictionaries(
                st.sampled_from(["X-A", "X B"]), st.just("V"), min_size=1
            ),
            "enabled": st.booleans(),
        },
    )
)


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
