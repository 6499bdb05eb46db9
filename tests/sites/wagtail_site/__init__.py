"""A site of Wagtail with its API and 600 pages, on SQLite."""

import os


def start():
    os.environ["DJANGO_SETTINGS_MODULE"] = "wagtail_site.config"
    import django

    django.setup()
