"""A Django site's REST framework API as MCP tools, within the budget and with its permissions.

INSTALLED_APPS = [..., "rest_framework", "penstock.django"]
urlpatterns = [..., path("mcp/", include("penstock.django.urls"))]
"""

from penstock.django.decorators import mcp_heavy, mcp_ignore, mcp_tool

__all__ = ["mcp_heavy", "mcp_ignore", "mcp_tool"]
