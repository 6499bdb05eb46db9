from django.urls import include, path
from rest_framework.routers import SimpleRouter

from gateway_site.inventory import nested_views, paged_views

router = SimpleRouter()
router.register("halls", nested_views.HallViewSet, basename="hall")
PAGED = (
    *("ByNumber", "BySize", "ByTens", "ByLimit", "InReport", "ByChoice", "ByNumberHeavy"),
    *("SmallList", "InRandomOrder", "AllInRandomOrder", "ByCursor", "ByKey", "WithGaps"),
    *("WithLateGaps", "WithOrphans", "SmallWithGaps", "Untold", "Ranking", "LargePages", "Sliced"),
)

urlpatterns = [
    path("api/", include(router.urls)),
    path("api/halls/<int:pk>/devices/", nested_views.HallDevices.as_view()),
    *(path(f"api/{name}/", getattr(paged_views, name).as_view()) for name in PAGED),
    path("mcp/", include("penstock.django.urls")),
]
