"""Nautobot with 5,000 devices, on PostgreSQL."""

import os
from pathlib import Path


def start():
    """Start Django as Nautobot does. Its settings read these variables when they are imported."""
    os.environ |= {
        "NAUTOBOT_ROOT": os.environ["SITE_STATE"],
        "NAUTOBOT_DB_NAME": "nautobot",
        "NAUTOBOT_DB_USER": "postgres",
        "NAUTOBOT_DB_HOST": os.environ["SITE_POSTGRES"],
        "NAUTOBOT_REDIS_SCHEME": "unix",
        "NAUTOBOT_REDIS_HOST": os.environ["SITE_REDIS"],
        "NAUTOBOT_ALLOWED_HOSTS": "*",
    }
    import nautobot

    nautobot.setup(str(Path(__file__).with_name("config.py")))
