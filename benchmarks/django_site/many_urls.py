"""1,800 endpoints."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path
from rest_framework.routers import SimpleRouter

from benchmarks.django_site.gateways import mounted
from benchmarks.django_site.inventory.views import DeviceViewSet
from benchmarks.django_site.parts import PARTS


def _router(names: Iterable[str]) -> SimpleRouter:
    router = SimpleRouter()
    for name in names:
        what, region = name.split("_")
        doc = f"The {what} of region {region}: where they are, what they cost, who runs them."
        view_set = type(f"{what.title()}{region}ViewSet", (DeviceViewSet,), {"__doc__": doc})
        router.register(name, view_set, name)
    return router


urlpatterns: list[URLPattern | URLResolver] = [
    *(path(f"api/{part}/", include(_router(names).urls)) for part, names in PARTS.items()),
    *mounted(settings.SITE.gateway),
]
