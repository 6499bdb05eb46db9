"""The callers of Nautobot, the calls that are timed, and the writes that must be refused."""

from agents import Agent
from inside.callers import named
from inside.cases import Case
from inside.writing import Write
from nautobot.dcim.models import Device, Location
from nautobot.users.models import Token

from nautobot_site.fill import WITHIN_REACH

DEVICES, DEVICE = "/api/dcim/devices/", "/api/dcim/devices/{pk}/"
RELATED = ("location", "role", "status", "device_type")


def agents():
    keys = {token.user.username: token.key for token in Token.objects.select_related("user")}
    return named(
        lambda name: Agent(headers={"Authorization": f"Token {keys[name]}"}),
        superuser="root",
        constrained="limited",
        unprivileged="nothing",
    )


def one():
    return Case(DEVICE, {"pk": str(Device.objects.order_by("name").first().pk)})


def listed():
    return Case(DEVICES)


def page(size):
    return {"limit": size, "offset": size}


def more_lists():
    """Return lists below a record."""
    return [Case("/api/dcim/devices/{pk}/notes/", one().parameters)]


def frisian():
    """Return the tools of frisian-mcp for the calls that are timed."""
    return {
        one().place: ("device_retrieve", {"id": one().parameters["pk"]}),
        listed().place: ("device_list", {}),
    }


def at_stake():
    """Return all that the writes would change."""
    return sorted(map(str, Device.objects.values_list("pk", "name", "location", "serial")))


def writes():
    beyond = Device.objects.exclude(location__name__in=WITHIN_REACH).order_by("name").first()
    within = Device.objects.filter(location__name__in=WITHIN_REACH).order_by("name").first()
    there, here = {"pk": str(beyond.pk)}, {"pk": str(within.pk)}
    related = {name: {"id": str(getattr(beyond, f"{name}_id"))} for name in RELATED}
    new = {"name": "dev-new", **related}
    place = {"pk": str(Location.objects.order_by("name").first().pk)}
    for caller in ("constrained", "unprivileged", "anonymous"):
        yield Write(caller, "PATCH", DEVICE, there, {"serial": "x"})
        yield Write(caller, "PUT", DEVICE, there, new)
        yield Write(caller, "DELETE", DEVICE, there)
        yield Write(caller, "POST", DEVICES, {}, new)
        yield Write(caller, "PATCH", DEVICE, here, {"location": related["location"]})
        yield Write(caller, "PATCH", DEVICES, {}, [{"id": there["pk"], "serial": "x"}])
        yield Write(caller, "DELETE", DEVICES, {}, [{"id": there["pk"]}])
        yield Write(caller, "PATCH", "/api/dcim/locations/{pk}/", place, {"name": "x"})
