"""A stand-in for the part of GitLab's API that the tasks need: issues, merge requests, discussions.

The MCP server that asks it is a real one. The project and its people are invented, from a fixed seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

PROJECT: Final = "plant/operations"
_BASE: Final = f"https://gitlab.example/{PROJECT}"
_START: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_TEAMS: Final = ("assembly", "controls", "logistics", "quality", "safety")
_PARTS: Final = ("hydraulics", "conveyor", "packaging", "furnace")
_PEOPLE: Final = (
    "Amina Haddad", "Bo Lindqvist", "Carla Reyes", "Dmitri Orlov", "Esi Mensah", "Finn Gallagher",
    "Grace Okafor", "Hiro Tanaka", "Ines Duarte", "Jonas Weber", "Kavya Iyer", "Liam Byrne",
)  # fmt: skip
_FAULTS: Final = (
    "loses pressure at start", "reports a wrong position", "stops after two hours",
    "is louder than it should be", "ignores the second sensor", "needs a new seal",
    "drifts by three millimetres", "does not reach its temperature",
)  # fmt: skip
_REMARKS: Final = (
    "I could repeat this on line {n}. The display shows {n}4.2 bar, and the valve opens a second too late.",
    "The supplier says the part is due in week {n}. Until then we run at {n}0 percent.",
    "Checked the wiring with {who}. Nothing is loose, and the log of the controller is clean.",
    "Can somebody measure this during the night shift? By day the cooling hides the effect.",
    "It went away after the restart, and it was back {n} hours later. See the trend in the report.",
    "The filter was full. We replaced it, cleaned the tank and wrote down the hours of operation.",
    "{who} has seen the same at the other site. They changed the set point, and that was enough.",
    "The spare is in shelf {n}. Please book it out before you mount it, or the stock is wrong again.",
)
_ON_PUMPS: Final = (
    "The pump runs hot: {n}8 degrees at the bearing. I would change it before the audit.",
    "After we swapped the pump, the pressure stayed at {n}2 bar for the whole shift.",
)

Record = dict[str, Any]


@dataclass(frozen=True)
class Project:
    """The records of a project, as GitLab's API gives them."""

    issue_count: int = 240

    @cached_property
    def issues(self) -> list[Record]:
        return [self._issue(iid) for iid in range(1, self.issue_count + 1)]

    @cached_property
    def merge_requests(self) -> list[Record]:
        draw = Random("merge requests")
        closed = [issue for issue in self.issues if draw.random() < 0.6]
        return [self._merge_request(at, issue) for at, issue in enumerate(closed, 1)]

    def discussions(self, iid: int) -> list[Record]:
        draw = Random(f"discussions {iid}")
        about_pumps = draw.random() < 0.2
        count = draw.randint(2, 5)
        special = draw.randrange(count) if about_pumps else -1
        return [
            self._discussion(iid, at, draw, _ON_PUMPS if at == special else _REMARKS)
            for at in range(count)
        ]

    def _issue(self, iid: int) -> Record:
        draw = Random(f"issue {iid}")
        created = _START + timedelta(hours=5 * iid)
        part, fault = draw.choice(_PARTS), draw.choice(_FAULTS)
        state = draw.choice(("opened", "opened", "closed"))
        return {
            "id": 90_000 + iid,
            "iid": iid,
            "project_id": 7,
            "title": f"Line {draw.randint(1, 9)}: the {part} {fault}",
            "description": f"Seen by {draw.choice(_PEOPLE)} during a round. The {part} {fault}.\n\n"
            f"- [ ] measure\n- [ ] compare with line {draw.randint(1, 9)}\n- [ ] decide",
            "state": state,
            "created_at": _time(created),
            "updated_at": _time(created + timedelta(days=draw.randint(1, 9))),
            "closed_at": _time(created + timedelta(days=20)) if state == "closed" else None,
            "labels": [
                f"component::{part}",
                f"severity::{draw.randint(1, 4)}",
                f"team::{draw.choice(_TEAMS)}",
            ],
            "milestone": None,
            "assignees": [_user(draw)],
            "author": _user(draw),
            "web_url": f"{_BASE}/-/issues/{iid}",
            "user_notes_count": 3,
            "merge_requests_count": 0,
            "upvotes": 0,
            "downvotes": 0,
            "due_date": None,
            "confidential": False,
            "discussion_locked": None,
            "issue_type": "issue",
            "references": {
                "short": f"#{iid}",
                "relative": f"#{iid}",
                "full": f"{PROJECT}#{iid}",
            },
            "time_stats": {
                "time_estimate": 0,
                "total_time_spent": 0,
                "human_time_estimate": None,
                "human_total_time_spent": None,
            },
        }

    def _merge_request(self, iid: int, issue: Record) -> Record:
        draw = Random(f"merge request {iid}")
        created = datetime.fromisoformat(issue["created_at"]) + timedelta(days=draw.randint(1, 6))
        state = draw.choice(("merged", "merged", "merged", "opened", "closed"))
        merged = created + timedelta(hours=draw.randint(4, 200)) if state == "merged" else None
        branch = f"{issue['iid']}-repair"
        return {
            "id": 50_000 + iid,
            "iid": iid,
            "project_id": 7,
            "title": f"Resolve “{issue['title']}”",
            "description": f"New limits for the controller, and a test for them.\n\nCloses #{issue['iid']}",
            "state": state,
            "created_at": _time(created),
            "updated_at": _time(merged or created),
            "merged_at": _time(merged) if merged else None,
            "closed_at": None,
            "source_branch": branch,
            "target_branch": "main",
            "author": _user(draw),
            "assignees": [],
            "reviewers": [_user(draw)],
            "labels": issue["labels"][2:],
            "draft": False,
            "milestone": None,
            "merge_when_pipeline_succeeds": False,
            "merge_status": "can_be_merged",
            "detailed_merge_status": "mergeable",
            "sha": f"{Random(branch).getrandbits(160):040x}",
            "merge_commit_sha": None,
            "user_notes_count": 2,
            "web_url": f"{_BASE}/-/merge_requests/{iid}",
        }

    def _discussion(self, iid: int, at: int, draw: Random, remarks: tuple[str, ...]) -> Record:
        written = _time(_START + timedelta(hours=5 * iid + 7 * at + 2))
        body = " ".join(draw.sample(remarks, k=2)) if len(remarks) > 2 else draw.choice(remarks)
        note = {
            "id": 1_000 * iid + at,
            "type": "DiscussionNote",
            "body": body.format(n=draw.randint(1, 9), who=draw.choice(_PEOPLE)),
            "attachment": None,
            "author": _user(draw),
            "created_at": written,
            "updated_at": written,
            "system": False,
            "noteable_id": 90_000 + iid,
            "noteable_type": "Issue",
            "noteable_iid": iid,
            "resolvable": False,
            "confidential": False,
            "internal": False,
        }
        key = f"{Random(f'{iid} {at}').getrandbits(160):040x}"
        return {"id": key, "individual_note": True, "notes": [note]}


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _user(draw: Random) -> Record:
    at = draw.randrange(len(_PEOPLE))
    name = _PEOPLE[at]
    handle = name.lower().replace(" ", ".")
    return {
        "id": 300 + at,
        "username": handle,
        "name": name,
        "state": "active",
        "locked": False,
        "avatar_url": f"https://gitlab.example/uploads/-/system/user/avatar/{300 + at}/avatar.png",
        "web_url": f"https://gitlab.example/{handle}",
    }


@contextmanager
def serving(project: Project) -> Iterator[str]:
    """Serve the API on a free port, and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            asked = parse_qs(address.query)
            query = {name.removesuffix("[]"): ",".join(values) for name, values in asked.items()}
            found = _found(project, unquote(address.path), query)
            body = json.dumps(_page(found, query) if isinstance(found, list) else found).encode()
            self.send_response(200 if found is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if isinstance(found, list):
                self.send_header("X-Total", str(len(found)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api/v4"
    finally:
        server.shutdown()
        server.server_close()


def _found(project: Project, path: str, query: dict[str, str]) -> list[Record] | Record | None:
    inside = path.removeprefix("/api/v4/").removeprefix(f"projects/{PROJECT}").strip("/").split("/")
    match inside:
        case [""]:
            return {"id": 7, "path_with_namespace": PROJECT, "name": "operations"}
        case ["issues"]:
            return [issue for issue in project.issues if _matches(issue, query)]
        case ["issues", iid, "discussions"]:
            return project.discussions(int(iid))
        case ["merge_requests"]:
            return [request for request in project.merge_requests if _matches(request, query)]
    return None


def _matches(record: Record, query: dict[str, str]) -> bool:
    state, labels = query.get("state", "all"), query.get("labels", "")
    in_state = state in {"all", record["state"]}
    return in_state and {*filter(None, labels.split(","))} <= {*record["labels"]}


def _page(found: list[Record], query: dict[str, str]) -> list[Record]:
    size = int(query.get("per_page", 20))
    first = size * (int(query.get("page", 1)) - 1)
    return found[first : first + size]
