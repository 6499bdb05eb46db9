"""`penstock serve` as a client sees it, in front of a command and of a URL."""

import threading

import pytest
from http_rig import Raw, messages_of, value_of

BUDGET = 25_000


def test_healthz(raw):
    response = raw.http.get(raw.url.replace("/mcp", "/healthz"))
    assert response.status_code == 200
    assert response.json()["status"] == "ok"


def test_a_legacy_session_from_end_to_end(raw):
    greeting = raw.initialize()
    assert greeting["capabilities"]["resources"] == {}
    tools = raw.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools][-1] == "read_result"
    probe = value_of(raw.call("rows"))
    assert probe["count"] == 2_000
    question = {
        "continuation_token": probe["continuation_token"],
        "mode": "sql",
        "query": "SELECT max(id) AS last FROM result",
    }
    assert value_of(raw.call("read_result", question))["items"] == [{"last": 1_999}]
    handed_on = raw.call("echo", {"text": "@result:" + probe["continuation_token"] + "#/7"})
    assert value_of(handed_on)["text"]["id"] == 7
    assert raw.http.delete(raw.url, headers={"mcp-session-id": raw.session}).status_code < 300


def test_a_modern_request_from_end_to_end(raw):
    response = raw.modern("tools/call", {"name": "rows", "arguments": {}})
    assert len(response.content) <= BUDGET
    body = response.json()["result"]
    assert body["resultType"] == "complete"
    token = value_of(body)["continuation_token"]
    page = raw.modern_call("read_result", {"continuation_token": token, "page": 100})
    assert value_of(page)["items"][-1]["id"] == 1_999
    assert page["resultType"] == "complete"


def test_a_reply_of_one_message_is_json_and_one_with_progress_a_stream(raw):
    plain = raw.modern("tools/call", {"name": "echo", "arguments": {"text": "a"}})
    assert plain.headers["content-type"] == "application/json"
    meta = {"progressToken": "mine"}
    told = raw.modern("tools/call", {"name": "echo", "arguments": {"text": "a"}, "_meta": meta})
    assert told.headers["content-type"].startswith("text/event-stream")
    progress, answer = messages_of(told)
    assert progress["params"]["progressToken"] == "mine"
    assert value_of(answer["result"]) == {"text": "a"}


def test_ids_of_several_clients_are_kept_apart(relay_url):
    """Two clients may use the same id and the same progress token at once."""
    answers = {}

    def ask(word):
        with Raw(relay_url) as client:
            params = {"name": "echo", "arguments": {"text": word}, "_meta": {"progressToken": 5}}
            answers[word] = messages_of(client.modern("tools/call", params, key=7))

    threads = [threading.Thread(target=ask, args=(f"word {n}",)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 20
    for word, (progress, answer) in answers.items():
        assert progress["params"]["progressToken"] == 5
        assert answer["id"] == 7
        assert value_of(answer["result"]) == {"text": word}


@pytest.mark.parametrize("key", [0, -1, "x", "1", 1.5, "é\n", 10**30])
def test_ids_of_any_type_come_back(raw, key):
    answer = raw.modern("tools/call", {"name": "echo", "arguments": {}}, key=key).json()
    assert answer["id"] == key
    assert type(answer["id"]) is type(key)


def test_a_subscription_is_named_as_its_client_named_it(raw):
    acknowledged, ended = messages_of(raw.modern("subscriptions/listen", {}, key="my stream"))
    name = "io.modelcontextprotocol/subscriptionId"
    assert acknowledged["params"]["_meta"][name] == "my stream"
    assert ended["result"]["_meta"][name] == "my stream"


def test_a_token_of_one_session_is_nobody_elses(relay_url):
    with Raw(relay_url) as one, Raw(relay_url) as other:
        one.initialize()
        other.initialize()
        token = value_of(one.call("rows"))["continuation_token"]
        refused = other.call("read_result", {"continuation_token": token})
        assert refused["isError"]
        assert "expired or not found" in value_of(refused)["error"]
        join = {
            "continuation_token": value_of(other.call("rows"))["continuation_token"],
            "mode": "sql",
            "query": "SELECT count(*) AS n FROM result, taken",
            "tables": {"taken": token},
        }
        refused = other.call("read_result", join)
        assert "Table 'taken': Continuation token expired" in value_of(refused)["error"]


# -- headers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"mcp-method": "tools/list"},
        {"mcp-name": "other"},
        {"mcp-protocol-version": None},
        {"mcp-name": None},
    ],
)
def test_headers_that_disagree_with_the_body_are_refused(raw, wrong):
    response = raw.modern("tools/call", {"name": "echo", "arguments": {}}, **wrong)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32020


def test_a_modern_header_without_the_envelope_is_refused(raw):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    response = raw.post(
        message, **{"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}
    )
    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32602


def test_parameter_headers_agree_with_the_arguments(raw):
    params = {"name": "regional", "arguments": {"region": "Tromsø"}}
    good = raw.modern("tools/call", params, **{"mcp-param-region": "=?base64?VHJvbXPDuA==?="})
    assert value_of(good.json()["result"]) == {"region": "Tromsø"}
    bad = raw.modern("tools/call", params, **{"mcp-param-region": "Oslo"})
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, -32020)


def test_a_stored_result_cannot_stand_in_a_header(raw):
    token = value_of(raw.modern_call("rows"))["continuation_token"]
    reference = f"@result:{token}#/0/text"
    refused = raw.modern_call("regional", {"region": reference}, **{"mcp-param-region": reference})
    assert refused["isError"]
    assert "header" in value_of(refused)["error"]


# -- bad requests ------------------------------------------------------------------------------


def test_what_is_not_json(raw):
    response = raw.post(b"{nonsense")
    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32700


def test_another_content_type(raw):
    assert raw.post(b"{}", **{"content-type": "text/plain"}).status_code == 415


def test_a_client_that_takes_neither_json_nor_a_stream(raw):
    assert raw.post(b"{}", accept="image/png").status_code == 406


def test_a_batch_in_the_new_era(raw):
    response = raw.post(b"[]", **{"mcp-protocol-version": "2026-07-28"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


def test_an_unknown_path_and_an_unknown_verb(raw):
    assert raw.http.get(raw.url.replace("/mcp", "/other")).status_code == 404
    assert raw.http.put(raw.url).status_code == 405


def test_an_unknown_method_is_upstreams_to_refuse(raw):
    response = raw.modern("vendor/unheard-of")
    assert response.status_code == 404
    assert response.json()["error"]["code"] == -32601


def test_a_modern_get_is_not_offered(raw):
    headers = {"accept": "text/event-stream", "mcp-protocol-version": "2026-07-28"}
    response = raw.http.get(raw.url, headers=headers)
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://127.0.0.1.evil.example", "null"]
)
def test_a_foreign_page_is_refused(raw, origin):
    assert raw.post(b"{}", origin=origin).status_code == 403


def test_a_rebound_name_is_refused(raw):
    assert raw.post(b"{}", host="evil.example").status_code == 403


def test_a_page_of_this_machine_may_ask(raw):
    response = raw.modern("tools/list", origin="http://localhost:6274")
    assert response.status_code == 200


def test_a_batch_of_an_older_revision_comes_back_as_one_array(raw):
    raw.initialize("2025-03-26")
    raw.ask("tools/list")
    calls = [
        {
            "jsonrpc": "2.0",
            "id": n,
            "method": "tools/call",
            "params": {"name": "read_result" if n == 2 else "echo", "arguments": {"text": str(n)}},
        }
        for n in (1, 2, 3)
    ]
    answers = {answer["id"]: answer["result"] for answer in raw.post(calls).json()}
    assert set(answers) == {1, 2, 3}
    assert answers[2]["isError"]
    assert value_of(answers[3]) == {"text": "3"}
