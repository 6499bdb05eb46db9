"""The URLs of Label Studio, and the gateway's."""

from core.urls import *  # noqa: F403 (its error handlers too)
from core.urls import urlpatterns as own_patterns
from inside import gateway

urlpatterns = [*gateway.urls(), *own_patterns]
