"""Configs of hosts with any content, in any style of writing: strategies, and writers of texts."""

import json
import re
from itertools import count
from random import Random

from hypothesis import strategies as st

from penstock.cli.wrapping.invocation import recognise

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
