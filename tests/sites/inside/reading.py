"""Lists and values read to their end: through the REST API, and through the MCP endpoint."""

import base64
import json

from inside.answers import ROWS_IN, Answer, count_of, following, rows_of
from inside.callers import send

READER = "read_result"
NOTE = 200  # characters


def by_rest(agent, case):
    """Read every page of an endpoint."""
    response = send(agent, case.url())
    value = _value(response)
    answer = Answer(response.status_code, value, rows_of(value), count_of(value))
    if answer.kind != "rows":
        answer.rows = None
        return answer
    while query := following(value, answer.pages, len(answer.rows), case.pages_by):
        value = _value(send(agent, case.url(**query)))
        answer.rows = answer.rows + (rows_of(value) or [])
        answer.pages += 1
    return answer


def is_html(response):
    """Return whether an answer, which is no refusal, is a page for people."""
    return response.status_code == 200 and response.headers.get("Content-Type", "").startswith(
        "text/html"
    )


def _value(response):
    content = b"".join(response) if response.streaming else response.content
    return _parsed(content.decode("utf-8", "replace"))


def _parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def by_mcp(agent, tool, arguments, parameters=(), pages_by=""):
    """Call a tool, and read the whole of its result as an agent would: by tokens, or, if a page has
    none, by the tool's own parameters."""
    answer = _called(agent, tool, arguments)
    last = answer
    while query := following(last.value, answer.pages, len(answer.rows or ()), pages_by):
        if not set(query) <= set(parameters):
            answer.notes.append("no way to the next page")
            break
        last = _called(agent, tool, {**arguments, **query})
        if last.rows is None:
            answer.notes += [] if pages_by else [f"the next page: {last.told()}"]
            break
        answer.rows = answer.rows + last.rows
        answer.pages += 1
    return answer


def first_reply(agent, tool, arguments):
    """Return the reply to a call, without what its token leads to."""
    result = _result(agent, tool, arguments)
    if isinstance(result, Answer):
        return result
    value = _content(result)
    return Answer(200, value, rows_of(value), count_of(value))


def _called(agent, tool, arguments):
    """Return the reply to a call, with all that its token leads to."""
    reply = first_reply(agent, tool, arguments)
    if not isinstance(reply.value, dict) or "continuation_token" not in reply.value:
        return reply
    return _stored(agent, reply.value) if reply.rows is None else _by_token(agent, reply)


def _result(agent, tool, arguments):
    """Return a tool's result, or an answer that refuses it."""
    said = agent.post(agent.message("tools/call", {"name": tool, "arguments": arguments}))
    if said.status_code != 200:
        return Answer(said.status_code)
    message = said.json()
    if "error" in message:
        error = message["error"]["message"]
        return Answer(404 if "Unknown tool" in error else 400, notes=[error])
    result = message["result"]
    if not result.get("isError"):
        return result
    told = _content(result)
    if not isinstance(told, dict):
        return Answer(400, notes=[str(told)])
    return Answer(told.get("status_code", 400), notes=[str(told.get("error"))[:NOTE]])


def _content(result):
    """Return the value of a result: its first text, or the bytes of its first block."""
    first = result["content"][0]
    if first["type"] == "text":
        return _parsed(first["text"])
    data = first.get("data") or first.get("resource", {}).get("blob", "")
    return base64.b64decode(data).decode("utf-8", "replace")


def _stored(agent, probe):
    """Read the result behind a probe: the rows of a list by their pages, anything else in full."""
    token = probe["continuation_token"]
    if probe["preview"].startswith("[") or probe.get("rows_at", "/").strip("/") in ROWS_IN:
        first = {**agent.value(READER, continuation_token=token), "continuation_token": token}
        return _by_token(agent, Answer(200, first, first["items"], count_of(probe)))
    value = _in_full(agent, token)
    if isinstance(value, dict) and value.keys() == {"notice", "page"}:  # one of the site's pages
        value = value["page"]
    return Answer(200, value, rows_of(value))


def _in_full(agent, token, **where):
    """Return a stored value, by the resource that `full` links to if the value is large."""
    result = agent.call(READER, continuation_token=token, mode="full", **where)
    links = [block["uri"] for block in result["content"] if block["type"] == "resource_link"]
    if not links:
        return _content(result)
    return _parsed(agent.ask("resources/read", {"uri": links[0]})["contents"][0]["text"])


def _by_token(agent, answer):
    """Follow `next` to the end. A row that is too large for a page is read by itself."""
    token, page = answer.value["continuation_token"], answer.value
    while page.get("next"):
        page = _result(agent, READER, {"continuation_token": page["next"]})
        if isinstance(page, Answer):
            answer.notes.append(f"its token: {page.told()}")
            break
        page = _content(page)
        answer.rows = answer.rows + page["items"]
        answer.tokens += 1
    answer.rows = [
        _in_full(agent, token, path=row["$path"]) if _is_cut(row) else row for row in answer.rows
    ]
    # The reply is read whole: its `next` is a token, not a page of the site's.
    answer.value = None
    return answer


def _is_cut(row):
    return isinstance(row, dict) and "$path" in row and "$size" in row
