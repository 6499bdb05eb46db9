"""A command that fills the database with a fleet, and makes two users with tokens."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.contrib.auth.models import Permission, User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Model
from rest_framework.authtoken.models import Token

from devices import sample
from devices.models import Device, Event, Site

BATCH = 2_000

# The permissions of each user, besides reading.
USERS = {"technician": ("add_device", "change_device", "add_event"), "viewer": ()}


class Command(BaseCommand):
    help = "Fill an empty database with a made-up fleet, and print two users and their tokens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--devices", type=int, default=50_000)
        parser.add_argument("--seed", type=int, default=7, help="the same seed, the same fleet")
        parser.add_argument("--password", help="lets the users log in; without it, tokens only")

    def handle(
        self, *, devices: int, seed: int, password: str | None, verbosity: int, **_: Any
    ) -> None:
        if devices < sample.RECALLED:
            raise CommandError(f"Ask for {sample.RECALLED} devices or more: so many are recalled.")
        if not Device.objects.exists():
            with transaction.atomic():  # all or nothing, so that a stopped run can be repeated
                self.fill(devices, seed)
        elif verbosity:
            self.tell("There is a fleet already; it stays as it is.")
        for name, permissions in USERS.items():
            self.stdout.write(f"{name} {token_of(name, permissions, password)}")

    def fill(self, count: int, seed: int) -> None:
        rows = list(sample.devices(count, seed))
        sites = {row["code"]: Site(**row) for row in sample.sites(seed)}
        self.save("sites", sites.values())
        devices = {row["asset_tag"]: Device(**row | {"site": sites[row["site"]]}) for row in rows}
        self.save("devices", devices.values())
        events = sample.events(rows, seed)
        self.save("events", (Event(**row | {"device": devices[row["device"]]}) for row in events))

    def save(self, what: str, rows: Iterable[Model]) -> None:
        """Save rows in batches. On a terminal, show a running count."""
        waiting, saved = iter(rows), 0
        while batch := list(islice(waiting, BATCH)):
            type(batch[0]).objects.bulk_create(batch)
            saved += len(batch)
            if self.stderr.isatty():
                self.tell(f"{saved:,} {what}", ending="\r")
        self.tell(f"{saved:,} {what}")

    def tell(self, text: str, ending: str = "\n") -> None:
        """Write to stderr, but not in red: this is not an error."""
        self.stderr.write(text, str, ending)


def token_of(name: str, permissions: Iterable[str], password: str | None) -> str:
    user = User.objects.filter(username=name).first() or User.objects.create_user(name)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    if password is not None:
        user.set_password(password)
        user.save(update_fields=["password"])
    return Token.objects.get_or_create(user=user)[0].key
