"""A chat-completions endpoint on a free port, as strict as the strictest, and scripted."""

import asyncio
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from penstock.testing import ChatModel

KEY = "sk-secret"


class Endpoint:
    """An endpoint that answers with a model's replies, or with (status, body) pairs in order."""

    def __init__(self, model):
        self.model = model
        self.requests = []
        self.url = ""

    def chat_model(self, **settings):
        return ChatModel(self.url, "some-model", **{"key": KEY, **settings})

    def answer(self, path, headers, body):
        if headers.get("authorization") != f"Bearer {KEY}":
            told = f"Incorrect API key provided: {headers.get('authorization')}"
            return 401, json.dumps({"error": {"message": told, "type": "invalid_request_error"}})
        request = json.loads(body)
        self.requests.append(request)
        if wrong := fault(path, request):
            return 400, json.dumps({"error": {"message": wrong}})
        if isinstance(self.model, list):
            return self.model.pop(0)
        return 200, completion(asyncio.run(self.model.reply(request["messages"], request["tools"])))


def completion(message):
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice]})


def wants(name, arguments, key="call_1"):
    """Return a completion with one call, its arguments as the model wrote them."""
    function = {"name": name, "arguments": arguments}
    calls = [{"id": key, "type": "function", "function": function}]
    return 200, completion({"role": "assistant", "content": None, "tool_calls": calls})


def says(content):
    return 200, completion({"role": "assistant", "content": content})


def fault(path, request):
    """Return why a strict endpoint would refuse the request, if it would."""
    if path != "/v1/chat/completions":
        return f"no such path: {path}"
    names = [entry["function"]["name"] for entry in request["tools"]]
    if len(names) != len(set(names)):
        return "tool names must be unique"
    for entry in request["tools"]:
        function = entry["function"]
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", function["name"]):
            return f"invalid name: {function['name']}"
        if "properties" not in function["parameters"]:
            return f"object schema missing properties: {function['name']}"
    return unanswered(request["messages"])


def unanswered(messages):
    """Return an error if a call lacks an answer right after it, else ""."""
    waiting = []
    for message in messages:
        if message["role"] != "tool" and waiting:
            return f"tool_call_ids without a reply: {waiting}"
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        waiting += [call["id"] for call in message.get("tool_calls") or []]
    return ""


@contextmanager
def listening(model):
    endpoint = Endpoint(model)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            """Quiet."""

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            status, answer = endpoint.answer(self.path, self.headers, body)
            self.send_response(status)
            if status in (301, 302, 307, 308):
                self.send_header("location", answer)
            self.send_header("content-length", str(len(answer.encode())))
            self.end_headers()
            self.wfile.write(answer.encode())

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()
