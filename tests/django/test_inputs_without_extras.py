"""Inputs without django-filter and drf-spectacular: both are optional, and loaded if needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

SITE = """
import sys
import django
from django.conf import settings

settings.configure(INSTALLED_APPS=["rest_framework", "django.contrib.contenttypes"])
django.setup()

from django.contrib.contenttypes.models import ContentType
from django.urls import include, path
from rest_framework import filters, serializers, viewsets
from rest_framework.routers import SimpleRouter

class TypeSerializer(serializers.ModelSerializer):
    class Meta:
        model = ContentType
        fields = ("app_label", "model")

class Types(viewsets.ModelViewSet):
    queryset = ContentType.objects.all()
    serializer_class = TypeSerializer
    filter_backends = (filters.SearchFilter, filters.OrderingFilter)
    search_fields = ("model",)

class URLs:
    router = SimpleRouter()
    router.register("types", Types)
    urlpatterns = [path("", include(router.urls))]

from penstock.django.endpoints import find_endpoints
from penstock.django.inputs import describe, inputs_of

for endpoint in find_endpoints(URLs):
    names = sorted(inputs_of(endpoint, urlconf=URLs).schema["properties"])
    print(endpoint.method, describe(endpoint), *names)
"""
BLOCK = "import sys; sys.modules.update(django_filters=None, drf_spectacular=None)\n"
COUNT = "print(*(n for n in ('django_filters', 'drf_spectacular') if n in sys.modules))\n"
TOLD = [
    "GET List content types. ordering search",
    "GET Get a content type. pk",
    "POST Create a content type. app_label model",
    "PUT Replace a content type. app_label model pk",
    "PATCH Change a content type. app_label model pk",
    "DELETE Delete a content type. pk",
]


@pytest.mark.parametrize(
    ("script", "told"),
    [(BLOCK + SITE, TOLD), (SITE + COUNT, [*TOLD, ""])],
    ids=["not installed", "not loaded"],
)
def test_a_site_without_them(script, told):
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == told
