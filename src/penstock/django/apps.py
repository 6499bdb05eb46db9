"""The Django app. Installing it only registers the checks: it reads and opens nothing."""

from __future__ import annotations

from django.apps import AppConfig


class PenstockConfig(AppConfig):
    name = "penstock.django"
    label = "penstock"
    verbose_name = "Penstock"
    default = True

    def ready(self) -> None:
        from penstock.django import checks  # noqa: F401 (its import registers the checks)
