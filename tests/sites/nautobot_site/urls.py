"""The URLs of Nautobot, and the gateway's."""

from inside import gateway
from nautobot.core.urls import *  # noqa: F403 (its error handlers too)
from nautobot.core.urls import urlpatterns as own_patterns

urlpatterns = [*gateway.urls(), *own_patterns]
