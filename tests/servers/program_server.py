"""An MCP server for programs of agents, without an SDK, over stdio or HTTP (`--http`).

It answers several calls at the same time. With `--record FILE` it writes a line for each call that
reaches it, before it answers, so that a test can count calls. `write` is its only tool that does not
declare itself read-only.
"""

import argparse
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
TOOLS = {
    "echo": {"text": TEXT},
    "value": {"of": {}},  # has the name of a function in the scope of programs
    "odd-name": {"text": TEXT},
    "get_issue": {"key": {**TEXT, "pattern": "^[A-Z]+-[0-9]+$"}, "size": {"enum": ["s", "l"]}},
    "repeat": {"text": TEXT, "times": NUMBER},
    "slow": {"text": TEXT, "seconds": {"type": "number"}},
    "fails": {"why": TEXT},
    "wait": {},
    "write": {"path": TEXT},
}
REQUIRED = {"get_issue": ["key"], "write": ["path"], "repeat": ["text", "times"]}
GONE = threading.Event()
_LOCK = threading.Lock()


def listed_tool(name):
    schema = {"type": "object", "properties": TOOLS[name], "required": REQUIRED.get(name, [])}
    told = {"name": name, "description": f"The tool {name}.", "inputSchema": schema}
    return told if name == "write" else {**told, "annotations": {"readOnlyHint": True}}


def called(name, arguments):
    """Return the text of a result, and whether it is an error."""
    if name == "fails":
        return arguments.get("why", "it failed"), True
    if name == "wait":
        GONE.wait()
    if name == "slow":
        time.sleep(arguments["seconds"])
    if name == "write":
        Path(arguments["path"]).write_text("written", "utf-8")
    if name == "repeat":
        return arguments["text"] * arguments["times"], False
    if "text" in arguments:
        return arguments["text"], False
    return json.dumps(arguments.get("of", arguments)), False


class Server:
    def __init__(self, record):
        self._record = record

    def answer(self, message):
        """Return the response to a request."""
        method, params = message["method"], message.get("params", {})
        if method == "initialize":
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "program-server", "version": "1"},
            }
        elif method == "tools/list":
            result = {"tools": [listed_tool(name) for name in TOOLS]}
        elif method == "tools/call":
            name, arguments = params["name"], params.get("arguments", {})
            self._note(name, arguments)
            text, is_error = called(name, arguments)
            result = {"content": [{"type": "text", "text": text}], "isError": is_error}
        else:
            error = {"code": -32601, "message": f"Method not found: {method}"}
            return {"jsonrpc": "2.0", "id": message["id"], "error": error}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _note(self, name, arguments):
        if self._record:
            with _LOCK, Path(self._record).open("a", encoding="utf-8") as record:
                record.write(json.dumps([name, arguments]) + "\n")


def serve_stdio(server):
    def handle(message):
        line = json.dumps(server.answer(message)) + "\n"
        with _LOCK:
            sys.stdout.write(line)
            sys.stdout.flush()

    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            threading.Thread(target=handle, args=(message,), daemon=True).start()
    GONE.set()


def serve_http(server):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            """Log nothing."""

        def do_POST(self):
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            is_request = "id" in message and "method" in message
            body = json.dumps(server.answer(message)).encode() if is_request else b""
            self.send_response(200 if is_request else 202)
            if message.get("method") == "initialize":
                self.send_header("mcp-session-id", os.urandom(8).hex())
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.send_response(405)
            self.send_header("content-length", "0")
            self.end_headers()

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    print(f"http://127.0.0.1:{http.server_address[1]}/mcp", flush=True)  # noqa: T201 (the test reads it)
    http.serve_forever()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--record", metavar="FILE")
    options = parser.parse_args()
    (serve_http if options.http else serve_stdio)(Server(options.record))


if __name__ == "__main__":
    main()
