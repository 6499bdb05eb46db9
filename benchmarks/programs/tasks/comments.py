"""Read the discussions of 80 issues, and keep what matters: a call for each issue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from benchmarks.programs.gitlab_api import PROJECT, Project, Record
from benchmarks.programs.player import Player
from benchmarks.programs.tasks.gitlab_tasks import GitlabTask, plainly, through_index

_LABEL: Final = "component::hydraulics"
_LIST: Final = {
    "project_id": PROJECT, "scope": "all", "state": "opened", "labels": [_LABEL], "per_page": 100,
}  # fmt: skip
_READ: Final = "list_issue_discussions"


class Comments(GitlabTask):
    """The open issues about hydraulics that have a comment on the pump, and who wrote it."""

    what = "filter the comments of 80 issues"

    @property
    def project(self) -> Project:
        return Project(530)

    def right(self) -> Any:
        found = (
            str(issue["iid"])
            for issue in self.project.issues
            if issue["state"] == "opened" and _LABEL in issue["labels"]
        )
        return _on_pumps({iid: self.project.discussions(int(iid)) for iid in found})

    def plain(self, player: Player) -> Any:
        iids = [issue["iid"] for issue in plainly(player, "list_issues", **_LIST)]
        return _on_pumps({iid: plainly(player, _READ, **_of(iid))["items"] for iid in iids})

    def stored(self, player: Player) -> Any:
        player.call("find_tools", query="list issue discussions")
        token = through_index(player, "list_issues", **_LIST)["continuation_token"]
        asked = {"mode": "sql", "query": "SELECT iid FROM result", "page_size": 100}
        listed = player.value("read_result", continuation_token=token, **asked)
        iids = [iid for (iid,) in listed["rows"]]
        return _on_pumps({iid: through_index(player, _READ, **_of(iid))["items"] for iid in iids})

    def code_mode(self, player: Player) -> Any:
        for query in ("list issues", "issue discussions"):
            player.call("search", query=query, detail="detailed", limit=1)
        look = f"""return (await call_tool("list_issue_discussions",{{"project_id":"{PROJECT}","issue_iid":"1"}}))[:300]"""
        player.call("execute", code=look)
        code = f"""import json
P="{PROJECT}"
o={{}}
for i in json.loads(await call_tool("list_issues",{{"project_id":P,"scope":"all","state":"opened","labels":["{_LABEL}"],"per_page":100}})):
    for d in json.loads(await call_tool("list_issue_discussions",{{"project_id":P,"issue_iid":i["iid"],"per_page":100}}))["items"]:
        for n in d["notes"]:
            if "pump" in n["body"].lower(): o.setdefault(i["iid"],n["author"]["name"])
return o"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        player.call("find_tools", query="list issues", limit=2)
        look = f"""P="{PROJECT}"
str(await list_issue_discussions(project_id=P,issue_iid="1"))[:300]"""
        player.call("run_python", code=look)
        code = f"""o={{}}
for i in await list_issues(project_id=P,scope="all",state="opened",labels=["{_LABEL}"],per_page=100):
    for d in (await list_issue_discussions(project_id=P,issue_iid=i["iid"],per_page=100))["items"]:
        for n in d["notes"]:
            if "pump" in n["body"].lower(): o.setdefault(i["iid"],n["author"]["name"])
o"""
        return player.value("run_python", code=code)


def _of(iid: str) -> dict[str, str]:
    return {"project_id": PROJECT, "issue_iid": iid}


def _on_pumps(by_issue: Mapping[str, Iterable[Record]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for iid, discussions in by_issue.items():
        for discussion in discussions:
            for note in discussion["notes"]:
                if "pump" in note["body"].lower():
                    found.setdefault(iid, note["author"]["name"])
    return found
