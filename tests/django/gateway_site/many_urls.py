"""A large API: 300 resources with six actions each, in twelve apps, judging by their paths."""

from django.urls import include, path
from rest_framework.routers import SimpleRouter

from gateway_site.inventory.serializers import DeviceSerializer
from gateway_site.inventory.views import DeviceViewSet

router = SimpleRouter()
for number in range(300):
    kind = type(
        f"Resource{number}ViewSet",
        (DeviceViewSet,),
        {"__doc__": f"Resource {number} of the plant, with all that is known of it.",
         "serializer_class": DeviceSerializer},
    )  # fmt: skip
    router.register(
        f"area{number % 12}/resource{number}", kind, basename=f"area{number % 12}-resource{number}"
    )

urlpatterns = [path("api/", include(router.urls)), path("mcp/", include("penstock.django.urls"))]
