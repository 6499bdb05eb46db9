"""The example's settings, with results in one of Django's caches."""

from fleet.settings import *  # noqa: F403 (settings on top of others)
from fleet.settings import PENSTOCK

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cached",
    }
}
PENSTOCK = {**PENSTOCK, "STORE": "django-cache:default"}
