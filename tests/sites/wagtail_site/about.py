"""The callers of the site, the calls that are timed, and the writes that must be refused."""

from django.contrib.auth.models import User
from inside.callers import named, signed_in
from inside.cases import Case
from inside.writing import Write
from wagtail.models import Page

ACTION = "/admin/api/main/pages/{pk}/action/{action_name}/"


def agents():
    return named(
        lambda name: signed_in(User.objects.get(username=name)),
        superuser="root",
        constrained="limited",
        unprivileged="nothing",
    )


def one():
    return Case("/api/v2/pages/{pk}/", {"pk": Page.objects.get(slug="page-1").pk})


def listed():
    return Case("/api/v2/pages/")


def page(size):
    return {"limit": size, "offset": size}


def more_lists():
    return []


def frisian():
    """Return the tools of frisian-mcp for the calls that are timed."""
    return {listed().place: ("pages_listing_view", {})}


def at_stake():
    """Return all that the writes would change."""
    return list(Page.objects.order_by("pk").values_list("pk", "title", "live", "path"))


def writes():
    target = Page.objects.get(slug="page-1").pk
    for caller in ("constrained", "unprivileged", "anonymous"):
        for action in ("unpublish", "delete"):
            yield Write(caller, "POST", ACTION, {"pk": target, "action_name": action}, {})
