"""Follow dependencies through a knowledge graph: one call, and a question that is not one step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Final

from benchmarks.programs.player import Player
from benchmarks.programs.task import Task

_TEAMS: Final = ("checkout", "identity", "pricing", "search", "shipping", "storefront")
_ROOT: Final = "service-003"
_NOTES: Final = (
    "runs in {n} regions", "has {n} replicas in production", "was rewritten in 202{n}",
    "keeps its logs for {n} weeks", "answers within {n}0 ms at the 99th percentile",
)  # fmt: skip

Record = dict[str, Any]


class Services(Task):
    """The services that depend on one, directly or through others: how many each team owns."""

    what = "follow a dependency graph"
    server_name = "memory"
    count = 120

    def make(self) -> None:
        lines = (json.dumps(record) for record in _records(self.count))
        (self.folder / "memory.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def right(self) -> Any:
        text = (self.folder / "memory.jsonl").read_text(encoding="utf-8")
        records = [json.loads(line) for line in text.splitlines()]
        return _owners([record for record in records if record["type"] == "relation"])

    def plain(self, player: Player) -> Any:
        return _owners(player.value("read_graph")["relations"])

    def stored(self, player: Player) -> Any:
        token = player.value("read_graph")["continuation_token"]
        kinds = "SELECT DISTINCT relationType FROM relations"
        player.value("read_result", continuation_token=token, mode="sql", query=kinds)
        query = (
            f"WITH RECURSIVE a(n) AS (SELECT '{_ROOT}' UNION SELECT \"from\" FROM relations,a "  # noqa: S608 (the agent's own words)
            "WHERE \"to\"=n AND relationType='depends_on') "
            'SELECT "to",count(*) FROM relations,a WHERE "from"=n AND relationType=\'owned_by\' '
            f"AND n<>'{_ROOT}' GROUP BY 1"
        )
        answer = player.value("read_result", continuation_token=token, mode="sql", query=query)
        return dict(answer["rows"])

    def code_mode(self, player: Player) -> Any:
        player.call("search", query="read graph", detail="detailed", limit=1)
        look = """g=await call_tool("read_graph",{})
return {r["relationType"]:r for r in g["relations"]}"""
        player.call("execute", code=look)
        code = f"""R=(await call_tool("read_graph",{{}}))["relations"]
{_CODE}return d"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        look = """R=(await read_graph())["relations"]
{r["relationType"]:r for r in R}"""
        player.call("run_python", code=look)
        return player.value("run_python", code=f"{_CODE}d")


_CODE: Final = f"""a=["{_ROOT}"]
for n in a:
    a+=[r["from"] for r in R if r["to"]==n and r["relationType"]=="depends_on" and r["from"] not in a]
d={{}}
for r in R:
    if r["relationType"]=="owned_by" and r["from"] in a[1:]: d[r["to"]]=d.get(r["to"],0)+1
"""


def _owners(relations: Sequence[Record]) -> dict[str, int]:
    affected = [_ROOT]
    for name in affected:
        users = (
            relation["from"]
            for relation in relations
            if relation["to"] == name and relation["relationType"] == "depends_on"
        )
        affected += [user for user in dict.fromkeys(users) if user not in affected]
    owned = {
        relation["from"]: relation["to"]
        for relation in relations
        if relation["relationType"] == "owned_by"
    }
    return dict(Counter(owned[name] for name in affected[1:]))


def _records(count: int) -> Iterable[Record]:
    draw = Random("services")
    names = [f"service-{number:03}" for number in range(1, count + 1)]
    for team in _TEAMS:
        yield _entity(team, "team", [f"is on call in week {draw.randint(1, 52)}"])
    for name in names:
        notes = [note.format(n=draw.randint(2, 6)) for note in draw.sample(_NOTES, k=3)]
        yield _entity(name, "service", [f"{name} {note}" for note in notes])
    for number, name in enumerate(names):
        yield _relation(name, "owned_by", draw.choice(_TEAMS))
        for other in draw.sample(names[:number], k=min(number, draw.randint(0, 2))):
            yield _relation(name, "depends_on", other)


def _entity(name: str, kind: str, observations: list[str]) -> Record:
    return {"type": "entity", "name": name, "entityType": kind, "observations": observations}


def _relation(start: str, kind: str, end: str) -> Record:
    return {"type": "relation", "from": start, "to": end, "relationType": kind}
