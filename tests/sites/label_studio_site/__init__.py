"""Label Studio with a project of 15,000 tasks, on SQLite."""

import os
import sys
from importlib.util import find_spec

VARIABLES = {
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
}


def start():
    """Start Django as Label Studio does. Its settings cannot be imported by others, because they
    read themselves while they load. So the gateway is added to them afterwards."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "core.settings.label_studio"
    os.environ |= {"LABEL_STUDIO_BASE_DATA_DIR": os.environ["SITE_STATE"], **VARIABLES}
    sys.path.insert(0, find_spec("label_studio").submodule_search_locations[0])
    from django.conf import settings
    from inside import gateway

    import django

    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, *gateway.APPS]
    settings.ROOT_URLCONF = "label_studio_site.urls"
    settings.PENSTOCK = gateway.PENSTOCK
    if gateway.GATEWAY == "frisian":
        classes = settings.REST_FRAMEWORK["DEFAULT_AUTHENTICATION_CLASSES"]
        settings.FRISIAN_MCP_AUTHENTICATION_CLASSES = classes
    django.setup()
