"""The command `manage.py penstock_warm`: inspect every view now, for all processes of this machine."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand

from penstock.django import registry


class Command(BaseCommand):
    help = (
        "Inspect every view that becomes a tool, and keep the findings, so that the first client "
        "does not wait. Run it after each deployment, as the user that serves the site."
    )

    def handle(self, **_: Any) -> None:
        start = time.monotonic()
        found = registry.found()
        for number, tool in enumerate(found.exposed.values(), start=1):
            tool.listed  # noqa: B018 (made when it is first asked for)
            if number % 100 == 0:
                self.stderr.write(f"{number} of {len(found.exposed)} tools")
        found.findings.save()
        seconds = time.monotonic() - start
        self.stdout.write(f"{len(found.exposed)} tools are ready, after {seconds:.1f} s.")
