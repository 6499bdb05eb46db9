"""The settings of a test site: a typical API, on SQLite in memory."""

SECRET_KEY = "for tests alone, and long enough for any signature"  # noqa: S105 (a site that nobody can reach)
USE_TZ = True
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "gateway_site.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "rest_framework",
    "rest_framework.authtoken",
    "django_filters",
    "drf_spectacular",
    "penstock.django",
    "gateway_site.inventory",
    "gateway_site.fields",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
}
PENSTOCK = {
    "STORE": "memory:",
    "MAX_TIER": "admin",
    "LIST_FORM": "full",
}
