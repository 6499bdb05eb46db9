from django.urls import include, path, re_path
from rest_framework import generics
from rest_framework.parsers import JSONParser
from rest_framework.routers import DefaultRouter, SimpleRouter

from gateway_site.fields import views
from gateway_site.fields.models import Pump
from gateway_site.fields.serializers import ShortPumpSerializer

router = DefaultRouter()
router.register("pumps", views.PumpViewSet)
router.register("many", views.ManyViewSet, basename="many")
router.register("places", views.PlaceViewSet)

nested = SimpleRouter()
nested.register("pumps", views.PumpsOfPlace, basename="place-pumps")

NUMBERED = views.PumpViewSet.as_view({"get": "retrieve"}, description="Get one by number.")

GENERIC = {"queryset": Pump.objects.all(), "serializer_class": ShortPumpSerializer}

urlpatterns = [
    path("", include(router.urls)),
    re_path(r"^places/(?P<place_slug>[^/.]+)/", include(nested.urls)),
    path("typed/<int:pk>/", NUMBERED),
    path("unknown/<pk>/", views.ServerStatusView.as_view()),
    path("by-key/<uuid:key>/<slug:part>/<path:rest>/", views.ServerStatusView.as_view()),
    re_path(r"^years/(?P<year>[0-9]{4})/(?P<rest>.+)/$", views.ServerStatusView.as_view()),
    path("orders/", views.Orders.as_view()),
    path("trees/", views.Trees.as_view()),
    path("albums/", views.Albums.as_view()),
    path("pictures/", views.Pictures.as_view()),
    path("json-pictures/", views.Pictures.as_view(parser_classes=[JSONParser])),
    path("freely/", views.Freely.as_view()),
    path("raising/", views.Raising.as_view()),
    path("overridden/", views.Overridden.as_view()),
    path("worded/", views.Worded.as_view()),
    path("silently/", views.Silently.as_view()),
    path("strict/", views.Strict.as_view()),
    path("limited/", views.Limited.as_view()),
    path("<version>/versioned/", views.Versioned.as_view()),
    path("generic/", generics.ListAPIView.as_view(**GENERIC)),
    path("states/", views.States.as_view({"post": "restart"})),
    path("by-name/<name>/", views.PumpViewSet.as_view({"get": "retrieve"})),
    path("status/", views.ServerStatusView.as_view()),
    path("told/", views.told),
    path("refusing/<int:floor>/", views.Refusing.as_view({"get": "list", "post": "create"})),
    path("discards/", views.Discards.as_view()),
]
