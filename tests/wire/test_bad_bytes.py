"""Bytes that are not UTF-8: of upstream's they are repaired, counted and kept; of a client's, refused."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from relay_rig import Rig, table, value_of
from relay_upstream import MODERN_META, Upstream

from penstock.errors import StoreError
from penstock.stores.memory import MemoryStore

# Latin-1, a truncated sequence, a stray continuation, a surrogate half and a pair as CESU-8, and an
# overlong slash. Beside each, how many of its bytes are no UTF-8.
BAD = [
    (b"\xe9t\xe9", 2),
    (b"\xe2\x82", 2),
    (b"\x80", 1),
    (b"\xed\xa0\x80", 3),
    (b"\xed\xa0\xbd\xed\xb8\x80", 6),
    (b"\xc0\xaf", 2),
    (b"\xff" * 2_000, 2_000),
]


def valid(messages):
    """Return the messages as values. Each must be JSON in UTF-8."""
    return [json.loads(message.decode()) for message in messages]


def answered(rig, result: bytes, number=7, **arguments):
    """Return the client's answer to a call that upstream answers with these bytes."""
    if rig.upstream is not None:
        rig.listed()
        rig.upstream = None
    params = {"name": "rows", "arguments": arguments}
    if rig.session.known.era == "modern":
        params["_meta"] = MODERN_META
    rig.from_client({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    (answer,) = valid(rig.from_upstream(b'{"jsonrpc":"2.0","id":%d,%b}' % (number, result)))
    assert answer["id"] == number
    return answer


def original_of(rig, notice):
    """Return the bytes behind the resource and behind the token in a notice."""
    words = notice.replace(",", " ").split()
    uri = next(word for word in words if word.startswith("penstock://"))
    token = next(word for word in words if word.startswith("pen_"))
    rig.upstream = Upstream(rig.session.known.era)
    (content,) = rig.ask("resources/read", {"uri": uri})["result"]["contents"]
    given = {"continuation_token": token, "path": "/data", "mode": "full"}
    (read,) = rig.call("read_result", **given)["content"]
    assert content["mimeType"] == "application/octet-stream"
    if read["type"] == "text" and "next_step" not in read["text"]:  # else it is over the ceiling
        assert content["blob"] == read["text"]
    return base64.b64decode(content["blob"])


@pytest.mark.parametrize(("bad", "count"), BAD)
def test_a_small_result_is_repaired_and_kept(open_rig, era, bad, count):
    rig = open_rig(Upstream(era))
    sent = b'"result":{"content":[{"type":"text","text":"caf%b\xc3\xbc"}]}' % bad
    result = answered(rig, sent)["result"]
    said, notice = (block["text"] for block in result["content"])
    shown = bad.decode("utf-8", "surrogateescape")
    assert said.count("\ufffd") == count
    assert (
        said == "caf" + "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in shown) + "ü"
    )
    assert f"{count:,} bytes of the server's message are not UTF-8" in notice
    assert result["_meta"] == {"dev.penstock/replaced_bytes": count}
    assert original_of(rig, notice) == b'{"jsonrpc":"2.0","id":7,%b}' % sent


def test_a_large_result_says_so_in_its_probe(open_rig, era):
    rig = open_rig(Upstream(era))
    rows = json.dumps(table()).replace("city 3", "M\xfcnchen").encode("latin-1")
    rows = json.dumps(rows.decode("latin-1"), ensure_ascii=False).encode("latin-1")
    sent = b'"result":{"content":[{"type":"text","text":%b}]}' % rows
    result = answered(rig, sent)["result"]
    probe = value_of(result)
    assert result["_meta"]["dev.penstock/replaced_bytes"] == sent.count(b"\xfc")
    (notice,) = probe["notices"]
    assert original_of(rig, notice) == b'{"jsonrpc":"2.0","id":7,%b}' % sent
    read = rig.read(probe["continuation_token"], mode="search", query="M\ufffdnchen")
    assert read["total"] == sent.count(b"\xfc")


class Full(MemoryStore):
    """A store that takes nothing."""

    def put(self, *_args, **_keywords):
        raise StoreError("full")


def test_a_store_that_takes_nothing(open_rig, era):
    """The result is still repaired, and says that its original bytes are lost."""
    rig = open_rig(Upstream(era), store=Full())
    result = answered(rig, b'"result":{"content":[{"type":"text","text":"\xe9"}]}')["result"]
    said, notice = (block["text"] for block in result["content"])
    assert said == "\ufffd"
    assert "The original bytes could not be stored." in notice


@pytest.mark.parametrize(("bad", "count"), BAD[:5])
@pytest.mark.parametrize(
    "part",
    [
        b'"result":{"content":[],"%b":1}',
        b'"result":{"content":[{"type":"text","text":"x","%b":{"%b":"%b"}}]}',
        b'"result":{"content":[],"structuredContent":{"%b":["%b"]},"_meta":{"%b":1}}',
        b'"result":{"content":"%b"}',
        b'"result":{"isError":true,"content":[{"type":"text","text":"%b"}]}',
        b'"error":{"code":-32000,"message":"%b"}',
        b'"error":{"code":-32000,"message":"x","data":{"%b":"%b"}}',
        b'"error":"%b"',
        b'"result":{"content":[]},"%b":"%b"',
        b'"%b":1,"result":{"content":[{"type":"text","text":"%b"}]}',
    ],
)
def test_wherever_the_bytes_are_there_is_one_answer(open_rig, era, part, bad, count):
    del count
    rig = open_rig(Upstream(era))
    answer = answered(rig, part.replace(b"%b", bad))
    assert "result" in answer or "error" in answer


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%b","%b":1}}',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"message":"%b"}}',
        b'{"jsonrpc":"2.0","method":"notifications/%b"}',
        b'{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"%b","status":"working"}}',
        b'{"jsonrpc":"2.0","id":"%b","method":"sampling/createMessage","params":{"x":"%b"}}',
        b'{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":"%b"}}',
        b'{"jsonrpc":"2.0","id":"%b","result":{}}',
        b'{"jsonrpc":"2.0","id":99,"result":"%b"}',
        b'{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"%b"}}',
        b'[{"jsonrpc":"2.0","id":5,"method":"%b"},{"jsonrpc":"2.0","method":"a","params":{"%b":1}}]',
    ],
)
@pytest.mark.parametrize(("bad", "count"), BAD)
def test_messages_that_pass_unread_are_repaired(open_rig, era, line, bad, count, caplog):
    rig = open_rig(Upstream(era))
    valid(rig.from_upstream(line.replace(b"%b", bad)))
    assert "bytes that are not UTF-8" in caplog.text
    del count


def test_the_answers_of_other_methods_count_the_bytes(open_rig):
    rig = open_rig()
    rig.from_client({"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "a"}})
    sent = b'{"jsonrpc":"2.0","id":1,"result":{"messages":["\xe9"],"_meta":{"a":1}}}'
    (answer,) = valid(rig.from_upstream(sent))
    meta = {"a": 1, "dev.penstock/replaced_bytes": 1}
    assert answer["result"] == {"messages": ["\ufffd"], "_meta": meta}


def test_a_list_of_tools_with_bad_bytes_is_listed(open_rig, era):
    rig = open_rig(Upstream(era))
    rig.upstream = None
    params = {"_meta": MODERN_META} if era == "modern" else {}
    rig.from_client(rig.request("tools/list", params, id=9))
    listed = b'{"name":"caf\xe9","description":"\xff","inputSchema":{"type":"object","properties":{"\xe9":{}}}}'
    more = b',"ttlMs":0,"cacheScope":"private","resultType":"complete"' if era == "modern" else b""
    line = b'{"jsonrpc":"2.0","id":9,"result":{"tools":[%b]%b}}' % (listed, more)
    (answer,) = valid(rig.from_upstream(line))
    assert answer["result"]["tools"][0]["name"] == "caf\ufffd"


def test_a_task_with_bad_bytes_keeps_them(open_rig):
    rig = open_rig(Upstream("modern"))
    rig.upstream = None
    rig.from_client(rig.request("tasks/get", {"taskId": "t", "_meta": MODERN_META}, id=9))
    sent = b'{"jsonrpc":"2.0","id":9,"result":{"taskId":"t","status":"completed","result":{"content":[{"type":"text","text":"\xe9"}]}}}'
    (answer,) = valid(rig.from_upstream(sent))
    notice = answer["result"]["result"]["content"][-1]["text"]
    assert original_of(rig, notice) == sent


def test_a_notification_with_a_result_keeps_its_bytes(open_rig):
    rig = open_rig(Upstream("modern"))
    sent = b'{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","status":"completed","result":{"content":[{"type":"text","text":"\xe9"}]}}}'
    (told,) = valid(rig.from_upstream(sent))
    notice = told["params"]["result"]["content"][-1]["text"]
    assert original_of(rig, notice) == sent


def test_an_error_with_a_suggestion_keeps_its_bytes(open_rig, era):
    rig = open_rig(Upstream(era))
    rig.listed()
    asked = rig.request("tools/call", {"name": "rowz", "arguments": {}}, id=7)
    rig.upstream = None
    rig.from_client(asked)
    sent = b'{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":"\xe9"}]}}'
    rig.upstream = Upstream(era)  # it is asked for its list again
    (told,) = valid(rig.from_upstream(sent))
    said, suggestion, notice = (block["text"] for block in told["result"]["content"])
    assert (said, suggestion) == ("\ufffd", "Did you mean rows?")
    assert original_of(rig, notice) == sent


# -- any bytes ---------------------------------------------------------------------------------

PIECES = st.lists(
    st.one_of(
        st.sampled_from([bad for bad, _ in BAD]),
        st.sampled_from(["ü", "漢", "😀", "\\u00e9", "\\ud800", "\\n"]).map(str.encode),
        st.binary(max_size=4).filter(lambda data: not set(data) & set(b'"\\\n\r')),
    ),
    max_size=6,
).map(b"".join)
RESULTS = st.one_of(
    st.builds(
        lambda a, b: b'"result":{"%b":1,"content":[{"type":"text","text":"%b"}]}' % (a, b),
        PIECES,
        PIECES,
    ),
    st.builds(lambda a: b'"result":"%b"' % a, PIECES),
    st.builds(lambda a: b'"error":{"code":1,"message":"%b"}' % a, PIECES),
    st.builds(lambda a: a, PIECES),
)


@given(
    lines=st.lists(
        st.one_of(
            st.builds(
                lambda key, body: b'{"jsonrpc":"2.0","id":%d,%b}' % (key, body),
                st.integers(0, 5),
                RESULTS,
            ),
            st.builds(
                lambda key, body: b'{"jsonrpc":"2.0","id":"%b",%b}' % (key, body), PIECES, RESULTS
            ),
            st.builds(
                lambda a, b: b'{"jsonrpc":"2.0","method":"%b","params":{"%b":2}}' % (a, b),
                PIECES,
                PIECES,
            ),
            st.binary(max_size=30),
        ),
        max_size=8,
    )
)
def test_whatever_bytes_come_each_line_is_json_and_each_request_is_answered_or_waits(lines):
    rig = Rig()
    try:
        for number, method in enumerate(["tools/call", "tools/list", "prompts/get"], 1):
            params = {"name": "rows"}
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            rig.from_client(message)
        for line in lines:
            rig.from_upstream(line)
        told = valid(rig.down)
        answered = {message.get("id") for message in told if isinstance(message, dict)}
        waiting = {int(key) for key in rig.session.pending if key.isdigit()}
        assert {1, 2, 3} <= answered | waiting
        assert {answer["id"] for answer in rig.upstream_ends()} == waiting
    finally:
        rig.close()


# -- of the client -----------------------------------------------------------------------------


def test_a_request_of_the_clients_is_refused_by_its_id(open_rig, era):
    rig = open_rig(Upstream(era))
    before = len(rig.up)
    line = b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"\xe9"}}'
    (answer,) = valid(rig.from_client(line))
    assert (answer["id"], answer["error"]["code"]) == ("a", -32700)
    assert "Encode it as UTF-8." in answer["error"]["message"]
    assert len(rig.up) == before
    assert rig.session.pending == {}


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":"\xe9","method":"ping"}',
        b'{"jsonrpc":"2.0","method":"notifications/\xe9"}',
        b"\xe9",
        b"[\xe9",
        b'{"id":1,"method":\xe9}',
    ],
)
def test_a_message_whose_id_cannot_be_read(open_rig, line):
    (answer,) = valid(open_rig().from_client(line))
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)


def test_a_batch_of_the_clients_is_refused_as_one(open_rig):
    rig = open_rig()
    line = b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"\xe9"}]'
    (answers,) = valid(rig.from_client(line))
    assert [answer["id"] for answer in answers] == [1, 2]
    assert rig.up == []


def test_upstream_does_not_wait_for_a_response_that_cannot_be_read(open_rig):
    rig = open_rig()
    assert rig.from_client(b'{"jsonrpc":"2.0","id":5,"result":{"model":"\xe9"}}') == []
    (sent,) = valid(rig.up)
    assert (sent["id"], sent["error"]["code"]) == (5, -32700)


def test_text_that_is_utf8_passes_as_the_same_bytes(open_rig):
    rig = open_rig()
    rig.from_client({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a"}})
    sent = '{"jsonrpc": "2.0", "id":1, "result":{"content":[{"type":"text","text":"漢字 é 😀 \ufffd"}]}}'
    assert rig.from_upstream(sent.encode()) == [sent.encode()]
