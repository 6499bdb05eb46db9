"""The tokens that an agent receives of a 5,000-row result, compared with those of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks import payloads
from benchmarks.lines import Line
from penstock import Call, Gate, Principal, Reply
from penstock.core.budget.measure import default_meter

ME = Principal("benchmark")
TABLE = 0.8
LOOKS: dict[str, dict[str, Any]] = {
    "summary": {"mode": "summary"},
    "page": {"mode": "paginated"},
    "filter": {"mode": "filtered", "filter_keys": ["id", "amount"]},
    "sql": {
        "mode": "sql",
        "query": "SELECT city, count(*) AS customers, sum(amount) AS total "
        "FROM result GROUP BY city ORDER BY total DESC",
    },
}


def measure() -> Iterator[Line]:
    rows = list(payloads.ordinary(5_000))
    meter = default_meter()
    whole = _tokens(Reply(payloads.as_json(iter(rows))))
    gate = Gate()
    try:
        probe = gate.offer(Call("rows", principal=ME), rows)
        yield Line(f"5,000 rows: probe ({meter.name})", _tokens(probe), whole, "tok")
        token = probe.value["continuation_token"]
        for what, look in LOOKS.items():
            reply = gate.read(Call("rows", {"continuation_token": token, **look}, principal=ME))
            assert not reply.is_error, reply.text
            yield Line(f"5,000 rows: {what}", _tokens(reply), whole, "tok")
        yield _without_keys(gate, token)
    finally:
        gate.close()


def _without_keys(gate: Gate, token: str) -> Line:
    """Compare twenty rows of an answer, whose columns are named once, with the rows as objects."""
    asked = {"continuation_token": token, "mode": "sql", "query": "SELECT * FROM result LIMIT 20"}
    table, objects = (
        gate.read(Call("rows", {**asked, "row_form": form}, principal=ME))
        for form in ("auto", "objects")
    )
    what = "5,000 rows: 20 in sql, beside the same as objects"
    return Line(what, _tokens(table), _tokens(objects), "tok", limit=TABLE)


def _tokens(reply: Reply) -> int:
    return default_meter().count(reply.wire().decode())
