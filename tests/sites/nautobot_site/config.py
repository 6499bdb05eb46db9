"""The settings of Nautobot: its own, with a gateway."""

from inside import gateway
from nautobot.core.settings import *  # noqa: F403 (as every configuration of Nautobot does)
from nautobot.core.settings import INSTALLED_APPS as OWN_APPS
from nautobot.core.settings import REST_FRAMEWORK as OWN_REST

SECRET_KEY = "for tests alone, and long enough for Nautobot to be content with it"  # noqa: S105
INSTALLATION_METRICS_ENABLED = False
INSTALLED_APPS = [*OWN_APPS, *gateway.APPS]
ROOT_URLCONF = "nautobot_site.urls"
PENSTOCK = gateway.PENSTOCK
if gateway.GATEWAY == "frisian":
    FRISIAN_MCP_AUTHENTICATION_CLASSES = OWN_REST["DEFAULT_AUTHENTICATION_CLASSES"]
    FRISIAN_MCP_STARTUP_PRINT = False
