"""python -m benchmarks.django_site.seed: the database of the options, always with the same rows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from django.core.management import call_command

import django

DEVICES: Final = 50_000
REPORTS: Final = 60
SITES: Final = 400
# The name of each user is also the user's token.
USERS: Final = ("ada", "ben")
_SEED: Final = 7
_AT_ONCE: Final = 2_000
_REPORT_CHARACTERS: Final = 20_000
_FIRST_DAY: Final = datetime(2019, 1, 1, tzinfo=UTC)
_ROLES: Final = ("router", "switch", "firewall", "server", "access point", "console")


def fill() -> None:
    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)
    from benchmarks.django_site.inventory.models import (
        Device,
        Report,
    )

    Device.objects.bulk_create(
        (Device(**row) for row in device_rows(Device.STATUSES)), batch_size=_AT_ONCE
    )
    Report.objects.bulk_create(Report(**row) for row in report_rows())
    _add_users()


def device_rows(statuses: tuple[str, ...]) -> Iterator[dict[str, object]]:
    chance = random.Random(_SEED)
    for number in range(1, DEVICES + 1):
        site, role = chance.randrange(SITES), chance.choice(_ROLES)
        yield {
            "name": f"{role.replace(' ', '-')}-{site:03}-{number}",
            "serial": f"SN{chance.randrange(10**9):09}-{number}",
            "site": f"site-{site:03}",
            "role": role,
            "status": chance.choice(statuses),
            "address": f"10.{site % 256}.{number // 250 % 256}.{number % 250}",
            "cost": Decimal(chance.randrange(10_000, 2_000_000)) / 100,
            "installed_at": _FIRST_DAY + timedelta(minutes=chance.randrange(3_000_000)),
            "managed": chance.random() < 0.8,
            "height": chance.randint(1, 8),
        }


def report_rows() -> Iterator[dict[str, str]]:
    chance = random.Random(_SEED)
    for number in range(REPORTS):
        body = ""
        while len(body) < _REPORT_CHARACTERS:
            body += f"{chance.choice(_ROLES)} {chance.randrange(10**6)}; "
        yield {"title": f"Report {number}", "body": body}


def _add_users() -> None:
    from django.contrib.auth.models import Permission, User
    from rest_framework.authtoken.models import Token

    permissions = Permission.objects.filter(content_type__app_label="inventory")
    for name in USERS:
        user = User.objects.create(username=name)
        user.user_permissions.set(permissions)
        Token.objects.create(user=user, key=name)


if __name__ == "__main__":
    fill()
