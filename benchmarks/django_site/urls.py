"""The URLs of the devices, as lists of several kinds."""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path
from rest_framework.routers import SimpleRouter

from benchmarks.django_site.gateways import PACKAGES, mounted
from benchmarks.django_site.inventory import views

router = SimpleRouter()
router.register("devices", views.DeviceViewSet, "devices")
router.register("guarded", views.GuardedViewSet, "guarded")
router.register("wide", views.WideViewSet, "wide")
router.register("unpaged", views.UnpagedViewSet, "unpaged")
router.register("reports", views.ReportViewSet, "reports")
if settings.SITE.gateway in PACKAGES:  # the others have no decorators
    import_module("benchmarks.django_site.inventory.tools")
    if settings.SITE.bare:
        bare = import_module("benchmarks.django_site.inventory.bare")
        router.register("heavy", bare.HeavyViewSet, "heavy")

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include(router.urls)),
    *mounted(settings.SITE.gateway),
]
