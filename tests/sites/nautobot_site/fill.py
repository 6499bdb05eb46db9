"""The data of Nautobot: 5,000 devices in 20 locations, and 200 rows of many other kinds."""

import random

from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from nautobot.circuits.models import CircuitType, Provider
from nautobot.dcim import models as dcim
from nautobot.extras.models import Contact, Role, SecretsGroup, Status, Team
from nautobot.ipam.models import RIR, Namespace, RouteTarget, VLANGroup
from nautobot.tenancy.models import Tenant, TenantGroup
from nautobot.users.models import ObjectPermission, Token, User
from nautobot.virtualization.models import ClusterGroup, ClusterType

DEVICES, INTERFACES, OTHERS = 5_000, 3_000, 200
WITHIN_REACH = ["S01", "S02"]
NAMED = (
    *(dcim.Manufacturer, dcim.Platform, Provider, CircuitType),
    *(Tenant, TenantGroup, ClusterGroup, ClusterType, RIR, Namespace, RouteTarget, VLANGroup),
    *(Contact, Team, SecretsGroup, Role),
)
OF_DEVICES = (dcim.ConsolePort, dcim.ConsoleServerPort, dcim.PowerPort, dcim.PowerOutlet)


def fill():
    call_command("migrate", verbosity=0)
    locations = _locations()
    _devices(locations)
    for model in NAMED:
        _add(model, OTHERS, lambda number: {"name": f"{number:05}"})
    devices = list(dcim.Device.objects.order_by("name")[:INTERFACES])
    for model in OF_DEVICES:
        _add(model, OTHERS, lambda number: {"name": "p0", "device": devices[number]})
    interface = {"name": "eth0", "type": "1000base-t", "status": _status(dcim.Interface)}
    _add(dcim.Interface, INTERFACES, lambda number: {"device": devices[number], **interface})
    _users()
    return {"devices": dcim.Device.objects.count()}


def _add(model, count, values):
    """Fill a table up to a number of rows."""
    numbers = range(model.objects.count(), count)
    made = [model(_custom_field_data={}, **values(number)) for number in numbers]
    model.objects.bulk_create(made, batch_size=500)


def _status(model):
    return Status.objects.get_for_model(model).first()


def _locations():
    kind, _ = dcim.LocationType.objects.get_or_create(name="Site")
    kind.content_types.add(ContentType.objects.get_for_model(dcim.Device))
    status = _status(dcim.Location)
    return [
        dcim.Location.objects.get_or_create(
            name=f"S{number:02}", location_type=kind, defaults={"status": status}
        )[0]
        for number in range(20)
    ]


def _devices(locations):
    chance = random.Random(7)
    role, _ = Role.objects.get_or_create(name="leaf")
    role.content_types.add(ContentType.objects.get_for_model(dcim.Device))
    maker, _ = dcim.Manufacturer.objects.get_or_create(name="Acme")
    kinds = [
        dcim.DeviceType.objects.get_or_create(model=f"X{number}", manufacturer=maker)[0]
        for number in range(8)
    ]
    common = {"role": role, "status": _status(dcim.Device)}
    _add(
        dcim.Device,
        DEVICES,
        lambda number: {
            "name": f"dev-{number:05}",
            "device_type": chance.choice(kinds),
            "location": chance.choice(locations),
            "serial": f"{chance.getrandbits(48):012x}",
            **common,
        },
    )


def _users():
    for name in ("root", "limited", "nothing"):
        user, _ = User.objects.get_or_create(username=name)
        user.is_superuser = user.is_staff = name == "root"
        user.save()
        Token.objects.get_or_create(user=user)
    _permit("devices of two locations", ["view", "add", "change", "delete"], dcim.Device)
    _permit("related objects", ["view"], dcim.Location, dcim.DeviceType, Role, Status)


def _permit(name, actions, *models):
    """Let the constrained user do something, with devices only in some locations."""
    reach = {"location__name__in": WITHIN_REACH} if dcim.Device in models else {}
    permission, _ = ObjectPermission.objects.update_or_create(
        name=name, defaults={"actions": actions, "constraints": reach}
    )
    permission.object_types.set(map(ContentType.objects.get_for_model, models))
    permission.users.set([User.objects.get(username="limited")])
