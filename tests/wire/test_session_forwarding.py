"""Messages that Penstock need not change pass byte for byte, in both directions."""

import json

import pytest
from relay_rig import table, value_of
from relay_upstream import MODERN_META, Upstream, text

ODD_SPELLINGS = [
    b'{"jsonrpc":"2.0","id":7,"method":"vendor/unheard-of","params":{"a":[1,2]}}',
    b'  {"method" : "ping",\t"id":"x" , "jsonrpc":"2.0"  }  ',
    b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"\\u00e9\\ud83d\\ude00"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"n":1e400,"n":1.10}}',
    b'{"jsonrpc":"2.0","id":1,"method":"p","params":{"big":123456789012345678901234567890}}',
    b'{"jsonrpc":"2.0","id":1,"method":"p","params":"not an object","extra":null}',
    b'{"jsonrpc":"2.0","method":"notifications/vendor","params":{"half":"\\ud800"}}',
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"é":"日本"}}'.encode(),
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1}}',
    b'{"jsonrpc":"2.0","id":3,"method":"p","params":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
]
ODD_RESULTS = [
    b'{"content":[{"type":"text","text":"\\u0068i"}]}',
    b'{ "content" : [ { "text":"hi" , "type":"text" } ] , "isError" : false }',
    b'{"content":[],"content":[{"type":"text","text":"twice"}]}',
    b'{"content":[{"type":"text","text":"half a pair: \\ud800"}]}',
    b'{"content":"not a list of blocks"}',
    b'{"content":[1,2,null]}',
    b'{"structuredContent":{"n":1.0,"n":1e2},"content":[],"unheardOf":{"a":null}}',
    b"null",
    b"[]",
    b'{"content":[{"type":"vendor/hologram","x":' + b"[" * 2_000 + b"]" * 2_000 + b"}]}",
]


@pytest.mark.parametrize("line", ODD_SPELLINGS)
def test_the_clients_messages_go_up_byte_for_byte(open_rig, line):
    rig = open_rig()
    assert rig.from_client(line) == []
    assert rig.up == [line]


@pytest.mark.parametrize("line", ODD_SPELLINGS)
def test_upstreams_messages_go_down_byte_for_byte(open_rig, line):
    rig = open_rig()
    assert rig.from_upstream(line) == [line]
    assert rig.up == []


def test_an_answer_to_upstreams_request_goes_up_byte_for_byte(open_rig):
    rig = open_rig()
    for line in (
        b'{"id": 0, "result" : {"role":"assistant", "content":{"type":"text","text":"\\u00e9"}}}',
        b'{"jsonrpc":"2.0","id":"s-1","error":{"code":-1,"message":"User rejected"}}',
    ):
        assert rig.from_client(line) == []
        assert rig.up.pop() == line


@pytest.mark.parametrize("result", ODD_RESULTS)
def test_a_small_result_goes_down_byte_for_byte(open_rig, era, result):
    rig = open_rig(Upstream(era))
    rig.listed()
    rig.upstream = None
    meta = b',"_meta":' + json.dumps(MODERN_META).encode() if era == "modern" else b""
    line = b'{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"rows"%b}}' % meta
    assert rig.from_client(line) == []
    assert rig.up[-1] == line
    answer = b'{ "jsonrpc":"2.0", "result":' + result + b' ,"id":50 }'
    assert rig.from_upstream(answer) == [answer]
    assert rig.session.pending == {}


@pytest.mark.parametrize(
    "method", ["ping", "prompts/get", "resources/subscribe", "vendor/x", "logging/setLevel"]
)
def test_any_other_answer_goes_down_byte_for_byte_whatever_its_size(open_rig, method):
    """Upstream's own resources and prompts are outside the budget."""
    rig = open_rig(Upstream(capabilities={"tools": {}, "resources": {}}))
    rig.upstream = None
    rig.from_client({"jsonrpc": "2.0", "id": 50, "method": method, "params": {"uri": "file:///x"}})
    answer = b'{"id":50,"result":{"x": "' + b"y" * 100_000 + b'"}}'
    assert rig.from_upstream(answer) == [answer]


def test_a_resource_of_upstreams_is_not_opened(open_rig):
    rig = open_rig(Upstream(capabilities={"tools": {}, "resources": {}}))
    rig.upstream = None
    for number, uri in enumerate(("file:///big", "ui://widget", "resource:///x"), 50):
        rig.from_client(rig.request("resources/read", {"uri": uri}, id=number))
        answer = b'{"id":%d,"result":{"contents":[{"blob":"%b"}]}}' % (number, b"A" * 100_000)
        assert rig.from_upstream(answer) == [answer]


# -- ids ---------------------------------------------------------------------------------------

IDS = [
    b"1", b"1.0", b"1e0", b"true", b"null", b"-0", b"0", b'"1"', b'"true"', b'""',
    b"123456789012345678901234567890123456789", b'"a b\\"c\\\\"', '"é日本"'.encode(), b'"x,\\"result\\":"',
]  # fmt: skip


@pytest.mark.parametrize("key", IDS)
@pytest.mark.parametrize("size", [10, 100_000])
def test_an_id_comes_back_as_it_was(open_rig, key, size):
    """Requests are matched by the bytes of the id."""
    rig = open_rig(Upstream())
    rig.upstream = None
    params = b'{"name":"rows","arguments":{}}'
    rig.from_client(b'{"jsonrpc":"2.0","id":%b,"method":"tools/call","params":%b}' % (key, params))
    result = json.dumps(text("x" * size)).encode()
    (answer,) = rig.from_upstream(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (key, result))
    assert answer.startswith(b'{"jsonrpc":"2.0","id":%b,"result":{' % key)
    assert (b"continuation_token" in answer) == (size > 25_000)


def test_ids_that_python_takes_for_equal_are_kept_apart(open_rig):
    """In Python 1 == 1.0 == True. On the wire these are five requests."""
    rig = open_rig(Upstream())
    rig.upstream = None
    keys = [b"1", b"1.0", b"true", b'"1"', b"1e0"]
    for key in keys:
        rig.from_client(
            b'{"jsonrpc":"2.0","id":%b,"method":"tools/call","params":{"name":"rows"}}' % key
        )
    assert len(rig.session.pending) == len(keys)
    for key in reversed(keys):
        large = json.dumps(text(f"{key.decode()}: " + "x" * 50_000)).encode()
        (answer,) = rig.from_upstream(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (key, large))
        assert answer.startswith(b'{"jsonrpc":"2.0","id":%b,"result":' % key)
        preview = value_of(json.loads(answer)["result"])["preview"]
        assert preview.startswith(f"{key.decode()}: xxx")


def test_an_id_is_the_same_however_its_text_is_escaped(open_rig):
    """Some servers escape characters outside ASCII: the text counts, not its spelling."""
    rig = open_rig(Upstream())
    rig.upstream = None
    rig.from_client(
        '{"jsonrpc":"2.0","id":"é/1","method":"tools/call","params":{"name":"rows"}}'.encode()
    )
    result = json.dumps(text("x" * 100_000))
    (answer,) = rig.from_upstream(
        b'{"jsonrpc":"2.0","id":"\\u00e9\\/1","result":%b}' % result.encode()
    )
    assert json.loads(answer)["id"] == "é/1"
    assert b"continuation_token" in answer
    assert rig.session.pending == {}


def test_an_id_of_the_relays_own_answers(open_rig, era):
    rig = open_rig(Upstream(era, results={"rows": text(table())}))
    token = rig.probe("rows")["continuation_token"]
    for key in ("s", "", "😀", 10**40, 0, -1):
        call = {"name": "read_result", "arguments": {"continuation_token": token}}
        assert rig.ask("tools/call", call, id=key)["id"] == key


# -- what is not JSON-RPC ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"hello\n",
        b'{"id":"\\uZZZZ","method":"x"}',
        b'{"id":"\\ud8","result":1}',
        b'{"m\\x":1,"id":5,"method":"x"}',
        b'{"jsonrpc":',
        b'{"a":1}}',
        b"\xff\xfe",
        b'{"id":1 "method":"x"}',
        b"NaN",
        b"[" * 3_000,
    ],
)
def test_what_is_not_json(open_rig, line, caplog):
    """The client gets an error. Upstream's line is dropped: it would help nobody."""
    rig = open_rig()
    (answer,) = map(json.loads, rig.from_client(line))
    assert answer["id"] is None
    assert answer["error"]["code"] == -32700
    assert rig.from_upstream(line) == []
    assert rig.up == []
    assert "upstream sent invalid JSON" in caplog.text
    assert rig.from_client(b'{"id":1,"method":"ping"}') == []
    assert rig.up == [b'{"id":1,"method":"ping"}']


@pytest.mark.parametrize(
    ("spelled", "told"),
    [(b"NaN", None), (b"[Infinity,-Infinity]", [None, None]), (b'"a\tb"', "a\tb")],
)
def test_what_is_not_quite_json(open_rig, spelled, told):
    """A server in Python may send it, and a client in Python would read it. Other clients get
    JSON."""
    rig = open_rig()
    rig.from_client(b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"rows"}}')
    line = b'{"jsonrpc":"2.0","id":4,"result":{"content":[],"structuredContent":{"x":%b}}}'
    (answer,) = rig.from_upstream(line % spelled)
    assert json.loads(answer, parse_constant=pytest.fail)["result"]["structuredContent"] == {
        "x": told
    }


@pytest.mark.parametrize("line", [b"5", b'"text"', b"null", b"true"])
def test_json_that_is_no_message(open_rig, line):
    rig = open_rig()
    (answer,) = map(json.loads, rig.from_client(line))
    assert answer["error"]["code"] in (-32700, -32600)
    assert rig.from_upstream(line) == []


@pytest.mark.parametrize("method", [b"null", b"5", b'["x"]'])
def test_a_method_that_is_not_text_is_not_for_the_relay_to_judge(open_rig, method):
    """A server that writes every member sends `"method":null` with its answers."""
    rig = open_rig()
    line = b'{"jsonrpc":"2.0","id":4,"method":%b,"result":{}}' % method
    assert rig.from_upstream(line) == [line]
    assert rig.from_client(line) == []
    assert rig.up == [line]


# -- batches (revision 2025-03-26 and before) --------------------------------------------------


def batch_ids(messages):
    (message,) = messages
    answers = json.loads(message)
    assert isinstance(answers, list)
    return sorted(answer["id"] for answer in answers)


def call(number, name, /, **arguments):
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_a_batch_is_answered_as_one(open_rig):
    """This holds too if Penstock answers some requests itself, or replaces a large result."""
    rig = open_rig(Upstream(results={"rows": text(table()), "take": text("small")}))
    rig.listed()
    token = rig.probe("rows")["continuation_token"]
    rig.up.clear()
    batch = [
        call(50, "take"),
        call(51, "read_result", continuation_token=token),
        {"jsonrpc": "2.0", "method": "notifications/vendor"},
        call(52, "rows"),
        {"jsonrpc": "2.0", "id": 53, "method": "resources/list"},
    ]
    messages = rig.from_client(batch)
    assert batch_ids(messages) == [50, 51, 52, 53]
    (forwarded,) = map(json.loads, rig.up)
    assert [item.get("id") for item in forwarded] == [50, None, 52]
    by_id = {answer["id"]: answer for answer in json.loads(messages[0])}
    assert by_id[50]["result"] == text("small")
    assert "items" in by_id[51]["result"]["content"][0]["text"]
    assert "continuation_token" in by_id[52]["result"]["content"][0]["text"]
    assert by_id[53]["result"] == {"resources": []}


def test_a_batch_that_upstream_answers_one_by_one(open_rig):
    rig = open_rig(Upstream())
    rig.upstream = None
    rig.from_client([call(50, "rows"), call(51, "rows")])
    assert rig.from_upstream({"jsonrpc": "2.0", "id": 51, "result": text("b")}) == []
    answers = rig.from_upstream({"jsonrpc": "2.0", "id": 50, "result": text("a")})
    assert batch_ids(answers) == [50, 51]


def test_a_batch_of_the_relays_alone(open_rig):
    rig = open_rig(Upstream(results={"rows": text(table())}))
    rig.listed()
    token = rig.probe("rows")["continuation_token"]
    rig.up.clear()
    batch = [call(number, "read_result", continuation_token=token) for number in (60, 61)]
    assert batch_ids(rig.from_client(batch)) == [60, 61]
    assert rig.up == []


def test_a_batch_of_notifications_has_no_answer(open_rig):
    rig = open_rig(Upstream())
    rig.up.clear()
    assert rig.from_client([{"jsonrpc": "2.0", "method": "notifications/x"}] * 2) == []
    assert json.loads(rig.up[0]) == [{"jsonrpc": "2.0", "method": "notifications/x"}] * 2


def test_an_empty_batch(open_rig):
    rig = open_rig(Upstream())
    (answer,) = map(json.loads, rig.from_client(b" [ ] "))
    assert answer["error"]["code"] == -32600


def test_a_batch_with_something_in_it_that_is_no_message(open_rig):
    """The invalid member gets an error; the others run."""
    rig = open_rig(Upstream(results={"take": text("small")}))
    (message,) = rig.from_client(
        b'[5,{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"take"}}]'
    )
    answers = json.loads(message)
    assert {answer["id"] for answer in answers} == {None, 9}
    assert [answer["error"]["code"] for answer in answers if "error" in answer] == [-32600]


@pytest.mark.parametrize("depth", [1, 3_000])
def test_a_batch_in_a_batch_is_no_message(open_rig, depth):
    rig = open_rig()
    line = b"[" + b"[" * depth + b"]" * depth + b"]"
    (answers,) = map(json.loads, rig.from_client(line))
    assert [answer["error"]["code"] for answer in answers] == [-32600]
    assert rig.from_upstream(line) == []


def test_a_batch_of_upstreams_with_something_in_it_that_is_no_message(open_rig):
    rig = open_rig()
    message = b'{"jsonrpc":"2.0","method":"notifications/x"}'
    assert rig.from_upstream(b"[5," + message + b"]") == [message]


def test_a_batch_whose_last_open_request_is_cancelled(open_rig):
    """The client still gets the other answers."""
    rig = open_rig(Upstream())
    rig.upstream = None
    rig.from_client([call(50, "rows"), call(51, "rows")])
    rig.from_upstream({"jsonrpc": "2.0", "id": 50, "result": text("a")})
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 51}}
    assert batch_ids(rig.from_client(cancelled)) == [50]
    assert json.loads(rig.up[-1]) == cancelled


@pytest.mark.parametrize("spaces", [1, 100])
def test_a_batch_after_white_space(open_rig, spaces):
    rig = open_rig()
    rig.from_client(b" " * spaces + b'[{"id":1,"method":"ping"},{"id":2,"method":"ping"}]')
    assert json.loads(rig.up[0]) == [{"id": 1, "method": "ping"}, {"id": 2, "method": "ping"}]


def test_a_batch_that_nests_very_deep(open_rig):
    rig = open_rig()
    deep = b'{"id":1,"method":"x","params":' + b"[" * 3_000 + b"]" * 3_000 + b"}"
    assert rig.from_client(b"[" + deep + b"]") == []
    assert rig.up == [deep]
    note = b'{"method":"x","params":' + b"[" * 3_000 + b"]" * 3_000 + b"}"
    assert rig.from_upstream(b"[" + note + b"]") == [note]
