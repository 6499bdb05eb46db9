"""An MCP server of the legacy era on stdio that harms its client: it writes lines that are too long,
leaves processes behind, and stays when it should end.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

PART = 64_000
TOOLS = ("long", "endless", "log", "wait", "leave", "die", "environment")
HOLDER = "import signal; signal.pause()"


class Wild:
    """The server. Its tools are methods."""

    def answer(self, message):
        key, method = message["id"], message["method"]
        if method == "tools/call":
            params = message["params"]
            getattr(self, params["name"])(key, **params.get("arguments", {}))
            return
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
        about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "wild", "version": "1"}}
        results = {
            "initialize": {"protocolVersion": "2025-11-25", **about},
            "tools/list": {"tools": tools},
        }
        send({"jsonrpc": "2.0", "id": key, "result": results.get(method, {})})

    def long(self, key, size, place="start"):
        """Answer with a text of so many bytes, and the id before it, after it, or nowhere."""
        named = b'"jsonrpc":"2.0","id":%d' % key
        before, after = {
            "start": (named + b",", b""),
            "end": (b"", b"," + named),
            "nowhere": (b'"id":{"no":1},', b""),
        }[place]
        sys.stdout.buffer.write(b"{" + before + b'"result":{"content":[{"type":"text","text":"')
        for _ in range(size // PART):
            sys.stdout.buffer.write(b"x" * PART)
        sys.stdout.buffer.write(b'"}]}' + after + b"}\n")
        sys.stdout.buffer.flush()

    def endless(self, _key, size):
        """Write a line that never ends."""
        sys.stdout.buffer.write(b"x" * size)
        sys.stdout.buffer.flush()

    def log(self, key, size):
        """Send a log message of so many bytes, then answer."""
        params = {"level": "info", "data": "x" * size}
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
        tell(key, "logged")

    def wait(self, _key):
        """Never answer."""

    def leave(self, key):
        """Start a process in a session of its own, which keeps our pipes open."""
        left = subprocess.Popen([sys.executable, "-c", HOLDER], start_new_session=True)
        tell(key, json.dumps([os.getpid(), left.pid]))

    def die(self, _key, code=3):
        os._exit(code)

    def environment(self, key):
        tell(key, json.dumps(dict(os.environ)))


def tell(key, text):
    result = {"content": [{"type": "text", "text": text}]}
    send({"jsonrpc": "2.0", "id": key, "result": result})


def send(message):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def main():
    if "--stubborn" in sys.argv:  # only SIGKILL ends it
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
    if "--ready" in sys.argv:
        path = Path(sys.argv[sys.argv.index("--ready") + 1])
        child = subprocess.Popen([sys.executable, "-c", HOLDER])
        path.with_suffix(".new").write_text(json.dumps([os.getpid(), child.pid]))
        path.with_suffix(".new").rename(path)
    wild = Wild()
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message:
            wild.answer(message)
    if "--stubborn" in sys.argv:
        threading.Event().wait()


if __name__ == "__main__":
    main()
