"""An API beside a web interface that is made of REST framework views too, at other paths."""

from django.urls import include, path
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes, renderer_classes
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.permissions import IsAdminUser
from rest_framework.renderers import StaticHTMLRenderer, TemplateHTMLRenderer
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.versioning import AcceptHeaderVersioning
from rest_framework.views import APIView

from gateway_site.inventory import odd_views, views
from gateway_site.inventory.models import Device


class PageRenderer(TemplateHTMLRenderer):
    """A renderer of a web interface, with a charset in its media type."""

    media_type = "text/html; charset=utf-8"


class DevicePages(views.DeviceViewSet):
    renderer_classes = (PageRenderer, StaticHTMLRenderer)


class Versioned(views.LocationViewSet):
    versioning_class = AcceptHeaderVersioning
    permission_classes = (IsAdminUser,)


class Undocumented(APIView):
    schema = AutoSchema()

    @extend_schema(exclude=True)
    def get(self, request):
        return Response({})


class KeySerializer(serializers.ModelSerializer):
    secret = serializers.CharField(source="notes")
    password = serializers.CharField(write_only=True)

    class Meta:
        model = Device
        fields = ("id", "secret", "password")


class Keys(ListAPIView):
    queryset = Device.objects.all()
    serializer_class = KeySerializer


class Unread(APIView):
    def post(self, request):
        return Response(request.data)


@api_view()
@permission_classes([])
@renderer_classes([StaticHTMLRenderer])
def about(request):
    return Response("<p>About</p>")


class ByNumber(RetrieveAPIView):
    """A device by its number."""

    queryset = Device.objects.all()
    serializer_class = KeySerializer


class ByName(APIView):
    """Anything by its name."""

    def get(self, request, pk):
        return Response({"name": pk})


class OpenLocations(views.LocationViewSet):
    """Locations, which are at two paths."""


# -- hooks of drf-spectacular -------------------------------------------------------------------------


def without_internal(endpoints):
    return [one for one in endpoints if not one[0].startswith("/api/internal/")]


def without_prefix(endpoints):
    return [(path.removeprefix("/api"), *rest) for path, *rest in endpoints]


def without_any(endpoints):
    return []


def failing(endpoints):
    raise RuntimeError("a fault of the site")


pages, api, shared = SimpleRouter(), SimpleRouter(), SimpleRouter()
shared.register("locations", OpenLocations, basename="location")
pages.register("devices", DevicePages)
api.register("devices", views.DeviceViewSet)
api.register("versioned", Versioned, basename="versioned")

urlpatterns = [
    path("", include(pages.urls)),
    path("api/", include(api.urls)),
    path("api/", include(shared.urls)),
    path("api/internal/", include(shared.urls)),
    path("api/as_csv/", odd_views.AsCSV.as_view()),
    path("api/undocumented/", Undocumented.as_view()),
    path("api/keys/", Keys.as_view()),
    path("api/unread/", Unread.as_view()),
    path("api/for_keys/", views.ForKeys.as_view()),
    path("api/one/<int:pk>/", ByNumber.as_view()),
    path("api/one/<str:pk>/", ByName.as_view()),
    path("api/one/<slug:pk>/", ByName.as_view()),
    path("about/", about),
    path("mcp", include("penstock.django.urls")),
]
