"""Join issues with merge requests: two lists of several pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from itertools import chain
from statistics import mean
from typing import Any, Final

from benchmarks.programs.gitlab_api import PROJECT, Project, Record
from benchmarks.programs.player import Player
from benchmarks.programs.tasks.gitlab_tasks import GitlabTask, plainly, through_index

_PAGE: Final = 100
_SECONDS: Final = 3_600
_ALL_OF: Final = {
    "list_issues": {"project_id": PROJECT, "scope": "all", "per_page": _PAGE},
    "list_merge_requests": {"project_id": PROJECT, "per_page": _PAGE},
}
_CODE: Final = """I={i["iid"]:i for i in await g("list_issues",scope="all")}
h={}
w=set()
for m in await g("list_merge_requests"):
    k=m["description"].split("Closes #")[1]
    w.add(k)
    if m["merged_at"]:
        s=D.fromisoformat(m["merged_at"])-D.fromisoformat(I[k]["created_at"])
        h.setdefault(I[k]["labels"][2],[]).append(s.total_seconds()/3600)
b=[i for i in I.values() if i["state"]=="opened" and "severity::1" in i["labels"] and i["iid"] not in w]
"""


class IssuesAndRequests(GitlabTask):
    """By team, the mean hours from an issue to the merge that closes it; and how many open issues of
    severity 1 have no merge request that closes them ("Closes #…" in the description).
    """

    what = "join issues with merge requests"

    @property
    def project(self) -> Project:
        return Project(240)

    def right(self) -> Any:
        return _joined(self.project.issues, self.project.merge_requests)

    def plain(self, player: Player) -> Any:
        issues, requests = (
            [record for page in self._pages(tool) for record in plainly(player, tool, **page)]
            for tool in _ALL_OF
        )
        return _joined(issues, requests)

    def _pages(self, tool: str) -> list[dict[str, Any]]:
        records = self.project.issues if tool == "list_issues" else self.project.merge_requests
        return [{**_ALL_OF[tool], "page": 1 + at // _PAGE} for at in range(0, len(records), _PAGE)]

    def stored(self, player: Player) -> Any:
        for query in ("list issues", "list merge requests"):
            player.call("find_tools", query=query)
        tokens = {
            tool: [
                through_index(player, tool, **page)["continuation_token"]
                for page in self._pages(tool)
            ]
            for tool in _ALL_OF
        }
        first, *others = chain(*tokens.values())
        names = [f"i{at}" for at in range(1, len(tokens["list_issues"]))]
        names += [f"m{at}" for at in range(len(tokens["list_merge_requests"]))]
        issues = " UNION ALL ".join(
            f"SELECT iid,state,created_at,labels FROM {name}"  # noqa: S608 (the agent's own words)
            for name in ("result", *(name for name in names if name[0] == "i"))
        )
        requests = " UNION ALL ".join(
            f"SELECT description,merged_at FROM {name}"  # noqa: S608 (the agent's own words)
            for name in names
            if name[0] == "m"
        )
        query = (
            f"WITH i AS ({issues}),m AS ({requests}),"  # noqa: S608 (the agent's own words)
            "j AS (SELECT i.*,merged_at,description FROM i LEFT JOIN m "
            "ON substr(description,instr(description,'Closes #')+8)=iid) "
            "SELECT json_extract(labels,'$[2]'),"
            "avg((julianday(merged_at)-julianday(created_at))*24),"
            "sum(description IS NULL AND state='opened' AND labels LIKE '%severity::1%') "
            "FROM j GROUP BY 1"
        )
        answer = player.value(
            "read_result",
            continuation_token=first,
            mode="sql",
            tables=dict(zip(names, others, strict=True)),
            query=query,
        )
        hours = {team: round(hours, 2) for team, hours, _ in answer["rows"] if hours is not None}
        return [hours, sum(bare for _, _, bare in answer["rows"])]

    def code_mode(self, player: Player) -> Any:
        for query in ("list issues", "list MRs"):
            player.call("search", query=query, detail="detailed", limit=1)
        code = f"""import json
from datetime import datetime as D
async def g(t,**a):
    o=[]
    for p in range(1,9):
        o+=json.loads(await call_tool(t,{{"project_id":"{PROJECT}","per_page":100,"page":p,**a}}))
        if len(o)<100*p: return o
{_CODE}return {{k:round(sum(v)/len(v),2) for k,v in h.items()}},len(b)"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        for query in ("list issues", "list merge requests"):
            player.call("find_tools", query=query, limit=1)
        code = f"""from datetime import datetime as D
async def g(t,**a):
    o=[]
    for p in range(1,9):
        o+=await call(t,{{"project_id":"{PROJECT}","per_page":100,"page":p,**a}})
        if len(o)<100*p: return o
{_CODE}{{k:round(sum(v)/len(v),2) for k,v in h.items()}},len(b)"""
        return player.value("run_python", code=code)


def _joined(issues: Iterable[Record], requests: Iterable[Record]) -> list[Any]:
    by_iid = {str(issue["iid"]): issue for issue in issues}
    hours: dict[str, list[float]] = {}
    closed = set()
    for request in requests:
        iid = re.findall(r"Closes #(\d+)", request["description"])[0]
        closed.add(iid)
        if request["merged_at"]:
            team = by_iid[iid]["labels"][2]
            hours.setdefault(team, []).append(
                _hours(by_iid[iid]["created_at"], request["merged_at"])
            )
    bare = [
        issue
        for iid, issue in by_iid.items()
        if iid not in closed and issue["state"] == "opened" and "severity::1" in issue["labels"]
    ]
    return [{team: round(mean(those), 2) for team, those in hours.items()}, len(bare)]


def _hours(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / _SECONDS
