"""The URL of the endpoint: `path("mcp", include("penstock.django.urls"))`, with a slash or without."""

from __future__ import annotations

from django.db import connections, transaction
from django.urls import re_path

from penstock.django.views import McpView

app_name = "penstock"

_view = McpView.as_view()
for _alias in connections:  # each view that a tool calls gets its own transaction
    _view = transaction.non_atomic_requests(using=_alias)(_view)

urlpatterns = [re_path(r"^(?:/)?$", _view, name="mcp")]
