"""Fixtures: a plant with a few hundred devices, and the people who work there."""

import datetime as dt

import pytest
from agents import ERAS, Agent
from django.contrib.auth.models import User
from gateway_site.inventory.models import Device, Location, Reading

from penstock.django import gateway

DEVICES = 130
READINGS = 95
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def _fresh_gateway():
    """Keep a test from seeing what another has stored or was shown."""
    gateway.forget()
    yield
    gateway.forget()


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


@pytest.fixture
def ada(db):
    return User.objects.create_user("ada")


@pytest.fixture
def bob(db):
    return User.objects.create_user("bob")


@pytest.fixture
def root(db):
    return User.objects.create_superuser("root")


@pytest.fixture
def plant(db):
    """Make devices with repeated names, so that an order by name leaves ties."""
    locations = [Location(name=f"hall {n}") for n in range(3)]
    Location.objects.bulk_create(locations)
    kinds = [kind.value for kind in Device.Kind]
    devices = [
        Device(
            name=f"device {n % 7}",
            kind=kinds[n % 3],
            location=locations[n % 3],
            price=n,
            seen=START,
            notes="n" * 60,
        )
        for n in range(DEVICES)
    ]
    Device.objects.bulk_create(devices)
    Reading.objects.bulk_create(
        Reading(device=devices[n % 10], taken=START + dt.timedelta(hours=n // 5), value=n)
        for n in range(READINGS)
    )
    return devices


@pytest.fixture
def agent(ada, plant, era):
    return Agent.of(ada, era)


@pytest.fixture
def admin(root, plant):
    return Agent.of(root)
