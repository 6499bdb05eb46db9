from django.urls import include, path
from django.views.decorators.cache import never_cache
from rest_framework.routers import DefaultRouter

from gateway_site.inventory import views

router = DefaultRouter()
router.register("devices", views.DeviceViewSet)
router.register("locations", views.LocationViewSet)
router.register("readings", views.ReadingViewSet)
router.register("limited", views.LimitedViewSet, basename="limited")
router.register("unpaged", views.UnpagedViewSet, basename="unpaged")
router.register("own", views.OwnViewSet, basename="own")
router.register("guarded", views.GuardedViewSet, basename="guarded")
router.register("staff", views.StaffViewSet, basename="staff")
router.register("broken", views.BrokenViewSet, basename="broken")
router.register("lists", views.Lists, basename="lists")

urlpatterns = [
    path("api/", include(router.urls)),
    path("api/open/", views.OpenList.as_view()),
    path("api/health/", views.Health.as_view()),
    path("api/decorated/", never_cache(views.LocationViewSet.as_view({"get": "list"}))),
    path("api/wrapped/", never_cache(views.PagedLocations.as_view())),
    path("api/peculiar/", views.Peculiar.as_view()),
    path("mcp/", include("penstock.django.urls")),
]
