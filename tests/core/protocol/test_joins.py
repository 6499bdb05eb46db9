"""Statements that join several stored results: each token is checked as if it were read alone."""

from __future__ import annotations

import json
from collections import Counter
from importlib.metadata import files

import pytest
from shown_rows import shown_rows

from corpus import RECORDED, load
from penstock import LiveRows, LiveWindow, Principal
from penstock.core.model.continuation import parse
from penstock.core.protocol.entries import REFUSED
from penstock.core.protocol.joins import MOST_PARENTS
from penstock.core.views.joined_tables import MOST_JOINED

CITIES = [{"id": number, "name": f"city {number}"} for number in range(500)]
ORDERS = [{"order": number, "city": number % 500, "a": {"b": number}} for number in range(2_000)]
PAIRS = """SELECT o."order", c.name FROM result o JOIN cities c ON c.id = o.city
    WHERE o."order" IN (3, 1503) ORDER BY 1"""
ANSWER = [{"order": 3, "name": "city 3"}, {"order": 1503, "name": "city 3"}]


@pytest.fixture
def agent(open_agent):
    """Return an agent that calls the reader."""
    return open_agent(call={"is_reader": True})


def token_of(agent, value):
    return agent.but(heavy=True).offer(value).value["continuation_token"]


@pytest.fixture
def orders(agent):
    return token_of(agent.but(tool="orders"), ORDERS)


@pytest.fixture
def cities(agent):
    return token_of(agent.but(tool="cities"), CITIES)


def joined(agent, token, query, **tables):
    return shown_rows(agent.look(token, mode="sql", query=query, tables=tables))


def refused(agent, token, query="SELECT 1 AS a FROM result", **tables):
    return agent.refused(token, mode="sql", query=query, tables=tables)


# -- what a table may be -----------------------------------------------------------------------


def test_two_results_are_joined(agent, orders, cities):
    assert joined(agent, orders, PAIRS, cities=cities) == ANSWER
    assert joined(agent, orders, PAIRS, cities=cities) == ANSWER, "from the child that holds both"
    assert joined(agent, orders, "SELECT count(*) AS n FROM result") == [{"n": 2_000}]


def test_the_answer_is_a_result_that_can_be_joined_again(agent, orders, cities):
    first = agent.look(orders, mode="sql", query=PAIRS, tables={"cities": cities})
    again = "SELECT c.id FROM result r JOIN answer a USING (name) JOIN result c USING (name)"
    assert joined(agent, cities, again, answer=first["continuation_token"]) == [{"id": 3}] * 2
    assert agent.look(first["continuation_token"], mode="full") == ANSWER


def test_a_result_is_joined_with_itself(agent, cities):
    query = "SELECT count(*) AS n FROM result a JOIN again b ON a.id = b.id JOIN third USING (name)"
    assert joined(agent, cities, query, again=cities, third=cities) == [{"n": 500}]


KINDS = {
    "rows": (CITIES, "", "SELECT name FROM other WHERE id = 7"),
    "a dict with one list": (
        {"page": 1, "items": CITIES},
        "",
        "SELECT name FROM other WHERE id = 7",
    ),
    "alike entries": (
        {f"k{city['id']}": city for city in CITIES},
        "",
        "SELECT name FROM other WHERE key = 'k7'",
    ),
    "lines": (
        "\n".join(city["name"] for city in CITIES),
        "",
        "SELECT text AS name FROM other WHERE line = 8",
    ),
    "CSV": (
        "id,name\n" + "\n".join(f"{city['id']},{city['name']}" for city in CITIES),
        "",
        "SELECT name FROM other WHERE id = 7",
    ),
    "a part": (
        {"lists": {"cities": CITIES, "orders": ORDERS}, "more": 1},
        "#/lists/cities",
        "SELECT name FROM other WHERE id = 7",
    ),
}


@pytest.mark.parametrize(("value", "path", "query"), KINDS.values(), ids=KINDS)
def test_each_kind_of_result_is_a_table(agent, orders, value, path, query):
    found = joined(agent, orders, query, other=token_of(agent, value) + path)
    assert found == [{"name": "city 7"}]


def test_the_lists_of_the_main_result_are_tables_too(agent, cities):
    token = token_of(agent, {"orders": ORDERS, "things": ORDERS})
    query = "SELECT count(*) AS n FROM orders o JOIN cities c ON c.id = o.city"
    assert joined(agent, token, query, cities=cities) == [{"n": 2_000}]


@pytest.mark.parametrize("name", ["orders", "ORDERS"])
def test_a_name_that_a_list_of_the_main_result_has_is_refused(agent, cities, name):
    token = token_of(agent, {"orders": ORDERS, "things": ORDERS})
    for _ in range(2):
        told = refused(agent, token, "SELECT count(*) FROM things", **{name: cities})
        assert told["error"] == (
            f"Two tables are called {name}: a list of the result, and one of tables."
        )
        assert told["next_step"] == "Give the other result another name in tables."


def test_a_token_of_a_page_or_of_a_part_stands_for_all_of_it(agent, orders, cities):
    page = agent.look(cities, page_size=2)["next"]
    assert joined(agent, orders, PAIRS, cities=page) == ANSWER
    whole = token_of(agent, {"long" * 200: {"cities": CITIES, "orders": ORDERS}, "b": {"c": [1]}})
    part = agent.look(whole, path=f"/{'long' * 200}/cities")
    assert joined(agent, orders, PAIRS, cities=part["next"]) == ANSWER
    alias = part["continuation_token"]
    assert joined(agent, orders, PAIRS, cities=alias) == ANSWER


def test_a_live_list_is_copied(open_agent):
    rows = [json.dumps(city).encode() for city in CITIES]
    agent = open_agent(
        call={"is_reader": True},
        hooks={"live_rows": lambda _, start, stop: LiveWindow(rows[start:stop], len(rows))},
        query_rows=400,
    )
    live = agent.offer(LiveRows("ref", 500, rows[:20], 300)).value["continuation_token"]
    orders = token_of(agent, ORDERS)
    asked = {"mode": "sql", "query": PAIRS, "tables": {"cities": live}}
    reply = agent.look(orders, **asked)
    assert shown_rows(reply) == ANSWER
    assert reply["tables"] == {"cities": {"rows_not_read": 100}}
    assert agent.look(orders, **asked)["tables"] == {
        "cities": {"read_seconds_ago": 0, "rows_not_read": 100}
    }


@pytest.mark.parametrize(
    ("value", "error", "step"),
    [
        (
            {"a/b": CITIES, "c": ORDERS},
            "It is a dict of lists, not one table.",
            'Name one of its lists: "<token>#/a~1b", "<token>#/c".',
        ),
        (
            {"a": {"b": CITIES}, "c": 1},
            "It is a dict without lists that can be tables.",
            'Name a part of it: "<token>#/path", with the path of a list.',
        ),
    ],
)
def test_what_is_not_one_table_is_refused(agent, orders, value, error, step):
    told = refused(agent, orders, other=token_of(agent, value))
    assert told == {"error": f"Table 'other': {error}", "next_step": step}


def test_one_value_is_refused(agent, orders, cities):
    told = refused(agent, orders, other=f"{cities}#/0/id")
    assert told["error"] == "Table 'other': It is one value, not a list."
    assert "Nothing at path" in refused(agent, orders, other=f"{cities}#/nowhere")["error"]


# -- names -------------------------------------------------------------------------------------

ODD = [
    "order",
    "group",
    "select",
    'a"b',
    "a`b",
    "a'b",
    "[a]",
    "a b",
    "a.b",
    "-- a",
    "数",
    "1",
    "x;y",
]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_work_in_quotes(agent, orders, cities, name):
    quoted = '"' + name.replace('"', '""') + '"'
    query = f"SELECT count(*) AS n FROM {quoted} x JOIN result ON city = x.id"  # noqa: S608
    assert joined(agent, orders, query, **{name: cities}) == [{"n": 2_000}]


RESERVED = ["result", "RESULT", "sqlite_master", "SQLite_x", "pragma_x", "json_each", "JSON_TREE"]


@pytest.mark.parametrize("name", [*RESERVED, "", "x" * 61, "a\nb", "a\0b", "\u202e"])
def test_names_that_cannot_be_tables_are_refused(agent, orders, cities, name):
    told = refused(agent, orders, **{name: cities})
    assert told["error"].endswith("is reserved." if name in RESERVED else "is no name of a table.")
    assert "Give it another name: 1 to 60 printable characters" in told["next_step"]


def test_names_that_differ_only_in_case_are_refused(agent, orders, cities):
    told = refused(agent, orders, Cities=cities, cities=cities)
    assert told["error"] == "tables has the name 'cities' twice: SQL ignores the case of names."


def test_fifty_tables_and_no_more(agent, cities):
    tables = {f"t{number}": cities for number in range(MOST_JOINED)}
    every = " ".join(f"JOIN {name} USING (id)" for name in tables)
    query = f"SELECT count(*) AS n, t49.name FROM result {every} WHERE result.id = 7"  # noqa: S608
    assert joined(agent, cities, query, **tables) == [{"n": 1, "name": "city 7"}]
    told = refused(agent, cities, **tables, t50=cities)
    assert told["error"] == "tables has 51 names; at most 50 are allowed."


@pytest.mark.parametrize(
    ("tables", "error"),
    [
        ("cities", "tables is not an object."),
        ([["cities", "x"]], "tables is not an object."),
        ({"cities": 5}, "tables: the value of 'cities' is not a token."),
        ({"cities": None}, "tables: the value of 'cities' is not a token."),
    ],
)
def test_another_form_is_refused(agent, orders, tables, error):
    told = agent.refused(orders, mode="sql", query=PAIRS, tables=tables)
    assert told["error"] == error
    assert told["next_step"].startswith("Give tables as {")


def test_an_object_as_text_is_read(agent, orders, cities):
    text = json.dumps({"cities": cities})
    assert shown_rows(agent.look(orders, mode="sql", query=PAIRS, tables=text)) == ANSWER


def test_tables_belong_to_sql_and_to_the_reader(agent, orders, cities):
    told = agent.refused(orders, mode="search", query="x", tables={"cities": cities})
    assert told["error"] == "mode search does not use tables."
    told = agent.refused(orders, tables={"cities": cities})
    assert told["error"] == "mode paginated does not use tables."
    tool = agent.but(tool="orders", is_reader=False)
    asked = {"mode": "sql", "query": PAIRS, "tables": {"cities": cities}}
    assert "differ from the call" in tool.refused(orders, **asked)["error"]


def test_the_main_token_is_needed(agent, cities):
    told = agent.refused("", mode="sql", query=PAIRS, tables={"cities": cities})
    assert told["error"] == "continuation_token is missing beside tables."
    assert "its rows are the table result" in told["next_step"]


def test_errors_name_all_tables(agent, orders, cities):
    told = refused(agent, orders, "SELECT * FROM town", cities=cities)
    assert told["error"] == "SQLite: no such table: town. The tables are result, cities."
    assert 'Columns of result: "order", city, "a.b".' in told["next_step"]
    assert "Columns of cities: id, name." in told["next_step"]
    assert joined(
        agent, orders, "SELECT a_b FROM result JOIN cities c ON c.id = a_b LIMIT 1", cities=cities
    )


# -- owners, servers and permissions -----------------------------------------------------------


def not_found(told, table="cities"):
    return told == {
        "error": f"Table '{table}': {REFUSED.error}",
        "next_step": REFUSED.next_step,
    }


def test_every_token_that_cannot_be_read_gets_the_same_refusal(agent, orders, cities, clock):
    bob = agent.but(principal=Principal("bob"))
    other_server = agent.but(server="elsewhere")
    bad = [
        token_of(bob, CITIES),
        token_of(other_server, CITIES),
        cities[:-1] + ("a" if cities[-1] != "a" else "b"),
        "pen_" + "x" * 30,
        "nonsense",
        "",
        "\ud800",
    ]
    linked = agent.reply(token_of(agent, "x" * 400_000), mode="full")
    bad.append("pen_" + linked.content[1]["uri"].removeprefix("penstock://result/"))
    for token in bad:
        assert not_found(refused(agent, orders, cities=token)), token
        assert not_found(refused(agent, orders, first=orders, cities=token)), token
        assert not_found(refused(agent, orders, "no SQL at all", cities=token)), token
        assert agent.refused(token or "x")["error"] == REFUSED.error


def test_an_expired_token_is_refused(open_agent, clock):
    agent = open_agent(call={"is_reader": True}, ttl=100, max_ttl=300)
    cities = token_of(agent, CITIES)
    clock.pass_by(60)
    orders = token_of(agent, ORDERS)
    clock.pass_by(60)
    assert not_found(refused(agent, orders, cities=cities))
    assert agent.refused(cities)["error"] == REFUSED.error


def test_the_main_token_is_checked_first(agent, cities):
    told = agent.refused("pen_x", mode="sql", query=PAIRS, tables={"result": cities, "": 5})
    assert told["error"] == REFUSED.error


def test_a_reference_to_a_result_is_told_from_a_token(agent, orders, cities):
    told = refused(agent, orders, cities=f"@result:{cities}")
    assert told["error"] == "Table 'cities': @result: is for arguments of tools."


def test_a_tool_whose_results_have_no_sql_is_not_joined(open_agent):
    agent = open_agent(call={"is_reader": True}, tools={"cities": {"modes": "paginated full"}})
    orders = token_of(agent.but(tool="orders"), ORDERS)
    cities = token_of(agent.but(tool="cities"), CITIES)
    told = refused(agent, orders, cities=cities)
    assert told["error"] == "Table 'cities': Mode sql is switched off for this result."


class Permissions:
    """The tools that the caller may use, and the questions about them."""

    def __init__(self):
        self.refused = set()
        self.asked = []

    def __call__(self, tool, origin):
        self.asked.append((tool, origin))
        return tool not in self.refused


@pytest.fixture
def permissions():
    return Permissions()


@pytest.fixture
def guarded(open_agent, permissions):
    return open_agent(call={"is_reader": True}, hooks={"authorize": permissions})


def test_the_permission_of_each_tool_is_checked(guarded, permissions):
    orders = token_of(guarded.but(tool="orders", origin={"path": "/orders"}), ORDERS)
    cities = token_of(guarded.but(tool="cities", origin={"path": "/cities"}), CITIES)
    assert joined(guarded, orders, PAIRS, cities=cities) == ANSWER
    assert permissions.asked == [("orders", {"path": "/orders"}), ("cities", {"path": "/cities"})]
    permissions.refused.add("cities")
    assert not_found(refused(guarded, orders, PAIRS, cities=cities))
    assert joined(guarded, orders, "SELECT count(*) AS n FROM result") == [{"n": 2_000}]


@pytest.mark.parametrize("gone", ["orders", "cities"])
def test_an_answer_can_be_read_as_long_as_every_tool_may_be_used(guarded, permissions, gone):
    orders = token_of(guarded.but(tool="orders"), ORDERS)
    cities = token_of(guarded.but(tool="cities"), CITIES)
    asked = {"mode": "sql", "query": PAIRS, "tables": {"cities": cities}}
    answer = guarded.look(orders, **asked)["continuation_token"]
    below = guarded.look(answer, mode="sql", query="SELECT * FROM result")["continuation_token"]
    permissions.asked.clear()
    assert guarded.look(below, mode="full") == ANSWER
    assert permissions.asked == [("orders", None), ("cities", None)]
    permissions.refused.add(gone)
    for token in (answer, below):
        assert guarded.refused(token)["error"] == REFUSED.error
        passed = guarded.but(is_reader=False, tool="t").call(
            lambda _: "ran", rows=f"@result:{token}"
        )
        assert passed.is_error


def test_an_answer_belongs_to_the_caller_and_not_to_one_of_its_tools(agent, orders, cities):
    asked = {"mode": "sql", "query": PAIRS, "tables": {"cities": cities}}
    answer = agent.look(orders, **asked)["continuation_token"]
    assert agent.but(principal=Principal("bob")).refused(answer)["error"] == REFUSED.error
    assert agent.but(server="elsewhere").refused(answer)["error"] == REFUSED.error
    for tool in ("orders", "cities"):
        told = agent.but(tool=tool, is_reader=False).refused(answer)
        assert told["error"] == REFUSED.error
    assert agent.look(answer, mode="full") == ANSWER


@pytest.mark.parametrize("gone", ["orders", "cities"])
def test_an_answer_ends_with_the_first_of_its_parents(agent, orders, cities, gone):
    asked = {"mode": "sql", "query": PAIRS, "tables": {"cities": cities}}
    answer = agent.look(orders, **asked)["continuation_token"]
    below = agent.look(answer, mode="sql", query="SELECT * FROM result")["continuation_token"]
    agent.gate.store.delete(parse({"orders": orders, "cities": cities}[gone]).key)
    for token in (answer, below):
        assert agent.refused(token)["error"] == REFUSED.error


def test_reading_an_answer_keeps_all_its_parents_alive(open_agent, clock):
    agent = open_agent(call={"is_reader": True}, ttl=300)
    orders, cities = token_of(agent, ORDERS), token_of(agent, CITIES)
    asked = {"mode": "sql", "query": PAIRS, "tables": {"cities": cities}}
    answer = agent.look(orders, **asked)["continuation_token"]
    for _ in range(5):
        clock.pass_by(200)
        agent.look(answer)
    assert joined(agent, orders, PAIRS, cities=cities) == ANSWER


def test_answers_of_answers_cannot_grow_without_end(agent, cities):
    """Each read loads all parents, so 50 tables with 50 parents each are too many."""
    tables = {f"t{number}": token_of(agent, CITIES[:400]) for number in range(49)}
    wide = agent.look(cities, mode="sql", query="SELECT * FROM result", tables=tables)
    wide = wide["continuation_token"]
    others = {f"t{number}": token_of(agent, CITIES[:400]) for number in range(50)}
    for _ in range(10):
        reply = agent.reply(wide, mode="sql", query="SELECT * FROM result", tables=others)
        if reply.is_error:
            break
        wide = reply.value["continuation_token"]
        others = {f"t{number}": token_of(agent, CITIES[:400]) for number in range(50)}
    assert f"at most {MOST_PARENTS} are allowed" in reply.value["error"]


def test_tables_that_are_too_large_together_are_refused(open_agent):
    agent = open_agent(call={"is_reader": True}, query_memory="64MB")
    large = token_of(agent, [{"pad": "x" * 1_000, "n": n} for n in range(3_000)])
    tables = {f"t{number}": large for number in range(40)}
    told = refused(agent, large, **tables)
    assert "SQL can hold 64,000,000" in told["error"]


def test_another_table_of_the_same_name_is_not_taken_from_memory(agent, orders, cities):
    other = token_of(agent, [{**city, "name": "else"} for city in CITIES])
    count = "SELECT count(*) AS n FROM result JOIN cities ON id = city WHERE name = 'else'"
    assert joined(agent, orders, count, cities=cities) == [{"n": 0}]
    assert joined(agent, orders, count, cities=other) == [{"n": 2_000}]
    assert joined(agent, orders, count, cities=cities) == [{"n": 0}]
    rest = token_of(agent, [{"z": 1}] * 2_000)
    both = "SELECT count(*) AS n FROM a JOIN b ON a.id = b.id"
    assert joined(agent, rest, both, a=cities, b=other) == [{"n": 500}]
    assert refused(agent, rest, both, a=cities, c=other)["error"].startswith(
        "SQLite: no such table: b"
    )


# -- material from elsewhere -------------------------------------------------------------------


def test_answers_of_a_recorded_database_server_are_joined(agent):
    """Two answers of mcp-server-sqlite, which are Python literals."""
    orders, customers = (
        token_of(agent, load(RECORDED / "sqlite" / f"{name}.json").result["content"][0]["text"])
        for name in ("orders", "customers")
    )
    first = agent.look(orders, page_size=1)["items"][0]
    other = agent.look(customers, page_size=1)["items"][0]
    shared = next(iter(first.keys() & other.keys()))
    query = f'SELECT count(*) AS n FROM result JOIN customers USING ("{shared}")'  # noqa: S608
    (found,) = joined(agent, orders, query, customers=customers)
    left = Counter(row[shared] for page in agent.walk(orders) for row in page["items"])
    right = Counter(row[shared] for page in agent.walk(customers) for row in page["items"])
    assert found["n"] == sum(left[key] * right[key] for key in left) > 0


def bill_of_materials(package):
    """Return the list of parts that a package of Rust code brings along, as JSON text."""
    found = (file for file in files(package) or [] if file.name.endswith(".cyclonedx.json"))
    file = next(found, None)
    if file is None:
        pytest.skip(f"{package} has no bill of materials here")
    return file.read_text("utf-8")


def test_bills_of_materials_of_two_packages_are_joined(agent):
    """JSON files that other projects wrote: dicts with several lists."""
    texts = {name: bill_of_materials(name) for name in ("ruff", "jsonschema_rs")}
    tokens = {name: token_of(agent, text) for name, text in texts.items()}
    told = refused(agent, tokens["ruff"], other=tokens["jsonschema_rs"])
    assert '"<token>#/components"' in told["next_step"]
    query = """SELECT a.name, a.version, b.version AS other FROM components a JOIN other b USING (name)
        WHERE a.version <> b.version ORDER BY 1, 2, 3"""
    found = agent.look(
        tokens["ruff"],
        mode="sql",
        query=query,
        page_size=1_000,
        tables={"other": f"{tokens['jsonschema_rs']}#/components"},
    )
    parts = {name: json.loads(text)["components"] for name, text in texts.items()}
    differ = {
        (one["name"], one["version"], other["version"])
        for one in parts["ruff"]
        for other in parts["jsonschema_rs"]
        if one["name"] == other["name"] and one["version"] != other["version"]
    }
    assert {tuple(row.values()) for row in shown_rows(found)} == differ != set()
