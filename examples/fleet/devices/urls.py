from rest_framework.routers import DefaultRouter

from devices.views import DeviceViewSet, EventViewSet, SiteViewSet

router = DefaultRouter()
router.register("devices", DeviceViewSet)
router.register("sites", SiteViewSet)
router.register("events", EventViewSet)

urlpatterns = router.urls
