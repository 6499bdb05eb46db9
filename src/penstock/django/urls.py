"""path("mcp/", include("penstock.django.urls"))"""

from __future__ import annotations

from django.urls import path

from penstock.django.views import McpView

app_name = "penstock"
urlpatterns = [path("", McpView.as_view(), name="mcp")]
