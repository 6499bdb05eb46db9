"""The settings of a site of Wagtail as its template has them, with the API and a gateway."""

import os
from pathlib import Path

from inside import gateway

STATE = Path(os.environ["SITE_STATE"])
SECRET_KEY = "for tests alone"  # noqa: S105
ALLOWED_HOSTS = ["*"]
USE_TZ = True
WAGTAIL_SITE_NAME = "Pages"
WAGTAILADMIN_BASE_URL = "http://testserver"
ROOT_URLCONF = "wagtail_site.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL, MEDIA_URL, MEDIA_ROOT = "/static/", "/media/", STATE / "media"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": STATE / "wagtail.sqlite3"}}
INSTALLED_APPS = [
    *(f"wagtail.{app}" for app in ("contrib.redirects", "embeds", "sites", "users", "snippets")),
    *(f"wagtail.{app}" for app in ("documents", "images", "search", "admin", "api.v2")),
    *("wagtail", "modelcluster", "taggit", "django_filters", "rest_framework"),
    *(f"django.contrib.{app}" for app in ("auth", "contenttypes", "sessions", "messages")),
    "django.contrib.staticfiles",
    *gateway.APPS,
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
PENSTOCK = gateway.PENSTOCK
