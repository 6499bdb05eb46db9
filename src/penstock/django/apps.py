"""The Django app. To install it reads nothing and opens nothing; it only registers its checks."""

from __future__ import annotations

from django.apps import AppConfig


class PenstockConfig(AppConfig):
    name = "penstock.django"
    label = "penstock"
    verbose_name = "Penstock"
    default = True

    def ready(self) -> None:
        from penstock.django import checks  # noqa: F401 (registers as it is loaded)
