"""Several tables in a text are sections, and a table in a text is data through a gate."""

from __future__ import annotations

import json

import pytest
from text_table_reading import aligned, near_miss, read, rows_in

from penstock import Budget
from penstock.core.budget.measure import default_meter
from penstock.core.results.decoding import decoded

# Written by kubectl.
ALL = """\
NAME                       READY   STATUS    RESTARTS   AGE
pod/web-5d9c7b9c9c-abcde   1/1     Running   0          3d
pod/web-5d9c7b9c9c-fghij   1/1     Running   2          3d

NAME                 TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
service/kubernetes   ClusterIP   10.96.0.1    <none>        443/TCP   10d

NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/web   2/2     2            2           3d
"""
# Written by psql.
QUERIES = """\
 id | name
----+------
  1 | a
  2 | b
(2 rows)

 count
-------
     3
(1 row)

"""
PIPES = "Prices of today\n\n| id | price |\n|---|---|\n| 1 | 2.50 |\n| 2 | 3 |\n\nStock\n\n| id | n |\n|---|---|\n| 1 | 7 |\n"
PODS = [
    {"NAME": f"web-{n:03}", "READY": "1/1", "RESTARTS": n % 7, "AGE": f"{n}d"} for n in range(90)
]
PODS_TEXT = aligned([*PODS[0]], *([str(cell) for cell in row.values()] for row in PODS))


def test_each_table_is_a_section():
    pods, service, deployment = rows_in(ALL, "tables")
    assert pods["tables"]["table"][1] == {
        "NAME": "pod/web-5d9c7b9c9c-fghij", "READY": "1/1", "STATUS": "Running", "RESTARTS": 2,
        "AGE": "3d",
    }  # fmt: skip
    assert service["tables"]["table"][0]["EXTERNAL-IP"] == "<none>"
    assert (deployment["level"], deployment["heading"], deployment["text"]) == (0, "", "")


def test_the_text_around_a_table_is_in_its_section():
    rows, count = rows_in(QUERIES.replace("count\n", "count \n"), "tables")
    assert (rows["text"], rows["tables"]["table"][0]) == ("(2 rows)", {"id": 1, "name": "a"})
    assert (count["text"], count["tables"]["table"]) == ("(1 row)", [{"count": 3}])


def test_the_line_before_a_table_is_its_heading_and_its_name():
    prices, stock = rows_in(PIPES, "tables")
    assert (prices["level"], prices["heading"]) == (1, "Prices of today")
    assert prices["tables"]["prices_of_today"] == [{"id": 1, "price": 2.5}, {"id": 2, "price": 3}]
    assert stock["tables"]["stock"] == [{"id": 1, "n": 7}]
    document, _ = read(PIPES)
    assert json.loads(document.contents[0]) == {
        "contents": {"/0": "# Prices of today", "/1": "# Stock"},
        "tables": {
            "prices_of_today": "[2 × {id, price}] at /0/tables/prices_of_today",
            "stock": "[1 × {id, n}] at /1/tables/stock",
        },
    }


def test_a_heading_may_be_underlined():
    prices, stock = rows_in(PIPES.replace("Stock\n", "In stock:\nStock\n=====\n"), "tables")
    assert (stock["heading"], stock["text"], [*stock["tables"]]) == (
        "Stock",
        "In stock:\n=====",
        ["stock"],
    )
    assert prices["text"] == ""


def test_boxes_without_a_line_between_them_are_several_tables():
    one = "+---+\n| a |\n+---+\n| 1 |\n+---+\n"
    other = one.replace("a", "b").replace("1", "x")
    first, second = rows_in(one + other, "tables")
    assert (first["tables"]["table"], second["tables"]["table"]) == ([{"a": 1}], [{"b": "x"}])


def test_digits_of_numbers_stay():
    document, parts = read(PIPES)
    assert b'"price":2.50' in decoded(document, parts)[0]


@pytest.mark.parametrize(
    "text",
    [
        "# Prices\n\n" + PIPES,  # a document of Markdown
        PIPES.replace("Stock", "## Stock"),
        PIPES.replace("Stock", "```\nmake\n```"),
        PIPES.replace("Stock", "One more line.\n" * 12),
        PIPES + "One more line.\n" * 12,
        PIPES.replace("Stock", "A line\nand another\nand more\nand more\nand more\nand more\nand more\nand more"),
    ],
    ids=range(6),
)  # fmt: skip
def test_a_text_that_is_more_than_tables_is_not_of_the_format(text):
    assert read(text)[0].format not in ("table", "tables")


def test_a_broken_table_among_others_is_told():
    assert "line 13 does not have the cells" in near_miss(PIPES + "| 1 |\n")


def test_too_many_tables_are_told():
    assert "more than 500 tables" in near_miss("| id | n |\n|---|---|\n| 1 | 7 |\n\n" * 501)


# -- through a gate ----------------------------------------------------------------------------------


def test_a_table_is_queried_and_its_text_comes_back(open_agent):
    agent = open_agent(budget="2kB", ceiling="100kB")
    text = f"$ kubectl get pods\n{PODS_TEXT}\nDone."
    probe = agent.offer(text).value
    assert (probe["format"], probe["count"], probe["text_after"]) == ("table", 90, "Done.")
    assert probe["columns"]["RESTARTS"] == "int: 0"
    token = probe["continuation_token"]
    query = "SELECT count(*) AS n FROM result WHERE RESTARTS > 3"
    expected = sum(row["RESTARTS"] > 3 for row in PODS)
    assert agent.look(token, mode="sql", query=query)["items"] == [{"n": expected}]
    page = agent.look(token, page_size=2)
    assert (page["items"], page["text_before"]) == (PODS[:2], "$ kubectl get pods")
    assert agent.reply(token, mode="full").text == text


def test_a_table_inside_a_value_is_data_where_path_points_at_it(open_agent):
    agent = open_agent(budget="2kB")
    token = agent.offer({"code": 0, "stdout": PODS_TEXT}).value["continuation_token"]
    query = "SELECT NAME FROM result WHERE AGE = '77d'"
    told = agent.look(token, path="/stdout", mode="sql", query=query)
    assert told["items"] == [{"NAME": "web-077"}]
    assert agent.reply(token, path="/stdout/~text", mode="full").is_error is False


@pytest.mark.parametrize(
    "fields", [{}, {"mode": "summary"}, {"path": "/0"}, {"mode": "full"}], ids=str
)
def test_no_reply_about_tables_is_over_budget(open_agent, fields):
    agent = open_agent(budget="2kB", ceiling="2kB")
    text = "\n".join(f"Part {n}\n\n{PODS_TEXT}" for n in range(9))
    probe = agent.offer(text)
    assert probe.value["tables"]["part_3"].startswith("[90 × {NAME, READY")
    reply = agent.reply(probe.value["continuation_token"], **fields)
    for one in (probe, reply):
        assert Budget.parse("2kB").admits(one.shown()[0], default_meter())
