"""The URLs of the endpoint: `path("mcp/", include("penstock.django.urls"))`."""

from __future__ import annotations

from django.db import connections, transaction
from django.urls import path

from penstock.django.views import McpView

app_name = "penstock"

_view = McpView.as_view()
for _alias in connections:  # each view that a tool calls gets its own transaction
    _view = transaction.non_atomic_requests(using=_alias)(_view)

urlpatterns = [path("", _view, name="mcp")]
