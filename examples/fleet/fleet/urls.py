from django.urls import include, path

urlpatterns = [
    path("api/", include("devices.urls")),
    path("api-auth/", include("rest_framework.urls")),
    path("mcp/", include("penstock.django.urls")),
]
