"""Stored results of several servers: who may read them, and for how long."""

import pytest
from front import Front, server
from relay_rig import table
from relay_upstream import text

from penstock.core.protocol.entries import read_head
from penstock.stores.memory import MemoryStore
from penstock.wire.servers import HubMember

ROWS = text(table())
UNKNOWN = "pen_" + "2" * 39


@pytest.fixture(params=["legacy", "modern"])
def era(request):
    return request.param


@pytest.fixture
def open_front(era):
    fronts, store = [], MemoryStore()

    def opened(members=None, **servers):
        servers = servers or {"db": server(orders=ROWS), "files": server(read_file=ROWS)}
        fronts.append(Front(era=era, store=store, members=members, servers=servers))
        return fronts[-1]

    yield opened
    for front in fronts:
        front.close()


def test_a_result_is_read_with_the_one_reader(open_front):
    front = open_front()
    token = front.probe("orders")["continuation_token"]
    assert front.rows(token) == table()


def test_the_store_knows_the_server_of_a_result(open_front):
    front = open_front()
    front.probe("orders")
    assert names(front) == ["db"]


def names(front):
    entries = front.store.entries(None, now=front.clock())
    return [read_head(entry.head).server_name for entry in entries]


@pytest.fixture
def tokens(open_front):
    """Return tokens of both servers, and of what was made from them."""
    front = open_front()
    db = front.probe("orders")["continuation_token"]
    files = front.probe("read_file")["continuation_token"]
    ask = {"mode": "sql", "query": "SELECT * FROM result", "page_size": 0}
    both = {"mode": "sql", "query": "SELECT a.* FROM result a, t LIMIT 9", "page_size": 0}
    joined = front.read(files, tables={"t": db}, **both)["continuation_token"]
    answer = front.read(db, **ask)["continuation_token"]
    again = front.read(answer, **ask)["continuation_token"]
    page = front.read(db)["next"]
    return {
        "db": db,
        "files": files,
        "answer": answer,
        "again": again,
        "page": page,
        "both": joined,
    }


def read(front, token):
    return front.call("read_result", continuation_token=token)["content"][0]["text"]


def test_another_server_in_the_file_changes_nothing(open_front, tokens):
    servers = {
        "new": server(other=ROWS),
        "db": server(orders=ROWS),
        "files": server(read_file=ROWS),
    }
    front = open_front(**servers)
    for token in tokens.values():
        assert "items" in read(front, token)


def test_a_removed_server_takes_its_results_with_it(open_front, tokens):
    front = open_front(files=server(read_file=ROWS))
    unknown = read(front, UNKNOWN)
    assert "expired or not found" in unknown
    for name in ("db", "answer", "again", "page", "both"):
        assert read(front, tokens[name]) == unknown, name
    assert "items" in read(front, tokens["files"])


def test_a_server_with_another_configuration_is_another_server(open_front, tokens):
    changed = [HubMember("db", "another id"), HubMember("files", "id of files")]
    front = open_front(members=changed, db=server(orders=ROWS), files=server(read_file=ROWS))
    unknown = read(front, UNKNOWN)
    assert read(front, tokens["db"]) == read(front, tokens["both"]) == unknown
    assert "items" in read(front, tokens["files"])


def test_a_refused_token_cannot_be_handed_on_either(open_front, tokens):
    files = server(read_file=ROWS, write=text("written"))
    front = open_front(files=files)
    told = front.call("write", rows=f"@result:{tokens['db']}")
    assert told["isError"] is True
    assert "expired or not found" in told["content"][0]["text"]
    assert not files.got("tools/call")


def test_a_renamed_tool_keeps_its_server(open_front):
    front = open_front(one=server(search=ROWS), two=server(search=ROWS))
    token = front.probe("two_search")["continuation_token"]
    again = open_front(members=[HubMember("one", "id of one")], one=server(search=ROWS))
    assert "expired or not found" in read(again, token)
    assert names(front) == ["two"]
