"""The gateway of this run of a site, as the environment says: its app, URLs and settings."""

import json
import os

from benchmarks.django_site.gateways import PACKAGES, mounted

GATEWAY = os.environ["SITE_GATEWAY"]  # "plain", "penstock" or "frisian"
APPS = [PACKAGES[GATEWAY]] if GATEWAY in PACKAGES else []
PENSTOCK = json.loads(os.environ["SITE_PENSTOCK"])


def urls():
    """Return the gateway's URLs. Not a constant, because settings import this module."""
    return mounted(GATEWAY)
