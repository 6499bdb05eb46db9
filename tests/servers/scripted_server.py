"""An MCP server of the legacy era without an SDK: it starts quickly. Options make it behave oddly.

It answers each line before it reads the next. So a relay meets a server that does not read while it
writes.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
TOOLS = {
    "read": {"path": TEXT},
    "load": {"path": TEXT},
    "big": {"size": NUMBER},
    "measure": {"of": {}, "note": TEXT},
    "wait": {"name": TEXT},
    "release": {"names": {"type": "array"}},
    "flood": {"count": NUMBER, "size": NUMBER},
    "pids": {},
    "die": {"code": NUMBER},
}


class Server:
    def __init__(self, options):
        self.options = options
        self.children = []
        self.waiting = {}

    def run(self):
        for line in sys.stdin.buffer:
            given = json.loads(line)
            for message in given if isinstance(given, list) else [given]:
                if "id" in message and "method" in message:
                    self.answer(message)

    def answer(self, message):
        answers = {"initialize": self.greet, "tools/list": self.listed, "tools/call": self.call}
        if message["method"] not in answers:
            error = {"code": -32601, "message": f"Method not found: {message['method']}"}
            send({"jsonrpc": "2.0", "id": message["id"], "error": error})
            return
        result = answers[message["method"]](message)
        if result is not None:
            send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def greet(self, message):
        return {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        }

    def listed(self, _message):
        return {"tools": [listed_tool(name, properties) for name, properties in TOOLS.items()]}

    def call(self, message):
        params = message["params"]
        tool = getattr(self, f"tool_{params['name']}")
        return tool(message, **params.get("arguments", {}))

    def tool_read(self, _message, path):
        return text(Path(path).read_text("utf-8"))

    def tool_load(self, _message, path):
        value = json.loads(Path(path).read_text("utf-8"))
        return {**text(json.dumps(value)), "structuredContent": {"result": value}}

    def tool_big(self, _message, size):
        return text("x" * size)

    def tool_measure(self, _message, of=None, note=""):
        size = len(of) if isinstance(of, str | list | dict) else 0
        return text(json.dumps({"type": type(of).__name__, "size": size, "note": len(note)}))

    def tool_wait(self, message, name):
        self.waiting[name] = message["id"]

    def tool_release(self, _message, names):
        for name in names:
            answer = text(f"released {name}")
            send({"jsonrpc": "2.0", "id": self.waiting.pop(name), "result": answer})
        return text("done")

    def tool_flood(self, _message, count, size):
        for number in range(count):
            params = {"level": "info", "data": "x" * size, "logger": str(number)}
            send({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
        return text("done")

    def tool_pids(self, _message):
        return text(json.dumps([os.getpid(), *(child.pid for child in self.children)]))

    def tool_die(self, _message, code=3):
        os._exit(code)


def listed_tool(name, properties):
    tool = {"name": name, "inputSchema": {"type": "object", "properties": properties}}
    return tool | ({"outputSchema": {"type": "object"}} if name == "load" else {})


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def send(message):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--garbage", action="store_true", help="print what is no message first")
    parser.add_argument("--exit", type=int, help="end at once with this code")
    parser.add_argument("--deaf", action="store_true", help="never read")
    parser.add_argument("--stubborn", action="store_true", help="stay after EOF and SIGTERM")
    parser.add_argument("--child", action="store_true", help="start a process that stays")
    parser.add_argument("--ready", metavar="FILE", help="write the process id there when up")
    options = parser.parse_args()
    if options.exit is not None:
        sys.exit(options.exit)
    server = Server(options)
    if options.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if options.child:
        staying = "import signal, sys; signal.pause()"
        server.children.append(subprocess.Popen([sys.executable, "-c", staying]))
    if options.garbage:
        sys.stdout.write("Welcome to the server!\n\n\x1b[32mlistening\x1b[0m on {stdio\n")
        sys.stdout.flush()
    if options.ready:
        Path(options.ready).write_text(str(os.getpid()))
    if not options.deaf:
        server.run()
    if options.stubborn or options.deaf:
        while True:
            signal.pause()


if __name__ == "__main__":
    main()
