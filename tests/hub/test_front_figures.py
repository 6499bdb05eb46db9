"""The server under which each answer of a front is counted."""

import pytest
from front import Front, server
from relay_rig import table
from relay_upstream import text

ROWS = text(table())
SMALL = text("a few words")


class Counting(list):
    """A tally that keeps what it is given."""

    __call__ = list.append

    def close(self):
        pass


@pytest.fixture(params=["legacy", "modern"])
def front(request):
    servers = {
        "db": server(era="legacy", orders=ROWS, search=SMALL),
        "files": server(era="modern", read_file=ROWS, search=SMALL),
    }
    opened = Front(era=request.param, servers=servers)
    opened.listed()
    opened.session.connection.tally = Counting()
    yield opened
    opened.close()


def counted(front):
    found = [(one.server, one.kind, one.tool) for one in front.session.connection.tally]
    front.session.connection.tally.clear()
    return found


def test_a_call_is_counted_under_its_server_by_the_name_that_the_client_used(front):
    front.call("orders")
    front.call("db_search")
    front.call("files_search")
    assert counted(front) == [
        ("db", "call", "orders"),
        ("db", "call", "db_search"),
        ("files", "call", "files_search"),
    ]


def test_the_one_list_is_counted_under_none(front):
    front.listed()
    assert counted(front) == [("", "list", "")]


def test_a_read_is_counted_under_the_server_whose_result_it_is(front):
    db = front.probe("orders")["continuation_token"]
    files = front.probe("read_file")["continuation_token"]
    counted(front)
    front.read(files)
    front.read(db)
    front.call("orders", continuation_token=db)
    assert counted(front) == [
        ("files", "read", "read_result"),
        ("db", "read", "read_result"),
        ("db", "read", "orders"),
    ]


def test_a_read_of_what_two_servers_gave_is_counted_under_none(front):
    db = front.probe("orders")["continuation_token"]
    files = front.probe("read_file")["continuation_token"]
    both = {"mode": "sql", "query": "SELECT a.* FROM result a, t LIMIT 9"}
    counted(front)
    front.read(files, tables={"t": db}, **both)
    assert counted(front) == [("", "read", "read_result")]


def test_a_call_that_takes_the_result_of_another_server_is_counted_under_its_own(front):
    token = front.probe("orders")["continuation_token"]
    counted(front)
    front.call("files_search", rows=f"@result:{token}")
    assert counted(front) == [("files", "call", "files_search")]


def test_the_calls_of_a_program_are_counted_under_their_servers(request):
    servers = {"db": server(orders=ROWS), "files": server(search=SMALL)}
    front = Front(servers=servers, programs="write", program_seconds="30s")
    request.addfinalizer(front.close)
    front.listed()
    token = front.probe("orders")["continuation_token"]
    front.session.connection.tally = Counting()
    python = "run_python_with_writes"
    done = front.call(python, code=f"rows({token!r})\nawait search()")
    assert not done.get("isError"), done
    assert counted(front) == [("files", "call", "search"), ("", "read", python)]


def test_a_call_of_no_tool_is_counted_under_none(front):
    front.ask("tools/call", {"name": "no_such_tool", "arguments": {}})
    (answer,) = front.session.connection.tally
    assert (answer.server, answer.is_known) == ("", False)
