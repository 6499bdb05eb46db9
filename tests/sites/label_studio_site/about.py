"""The callers of Label Studio, the calls that are timed, and the writes that must be refused."""

from agents import Agent
from inside.callers import named
from inside.cases import Case
from inside.writing import Write
from projects.models import Project
from rest_framework.authtoken.models import Token
from tasks.models import Task

PROJECT, TASK = "/api/projects/{pk}/", "/api/tasks/{pk}/"


def agents():
    keys = dict(Token.objects.values_list("user__username", "key"))
    return named(
        lambda name: Agent(headers={"Authorization": f"Token {keys[name]}"}),
        superuser="root",
        constrained="limited",
        unprivileged="nothing",
    )


def _project(title):
    return Project.objects.get(title=title).pk


def one():
    return Case(TASK, {"pk": str(Task.objects.order_by("pk").first().pk)})


def listed():
    return Case("/api/tasks/", query={"project": _project("large")}, callers=("superuser",))


def page(size):
    return {"page": 2, "page_size": size}


def more_lists():
    medium = _project("medium")
    return [
        listed(),
        Case("/api/tasks/", query={"project": medium}),
        Case("/api/projects/{pk}/tasks/", {"pk": medium}, pages_by="page"),
    ]


def frisian():
    """Return no tools: frisian-mcp makes them of ViewSets alone, and these views are none."""
    return {}


def at_stake():
    """Return all that the writes would change."""
    projects = Project.objects.order_by("pk").values_list("pk", "title")
    return [*projects, *Task.objects.order_by("pk").values_list("pk", "data", "project")]


def writes():
    project, task = {"pk": _project("large")}, {"pk": Task.objects.order_by("pk").first().pk}
    for caller in ("constrained", "unprivileged", "anonymous"):
        yield Write(caller, "PATCH", PROJECT, project, {"title": "x"})
        yield Write(caller, "DELETE", PROJECT, project)
        yield Write(caller, "PATCH", TASK, task, {"data": {"text": "x"}})
        yield Write(caller, "DELETE", TASK, task)
        yield Write(caller, "DELETE", "/api/projects/{pk}/tasks/", project)
