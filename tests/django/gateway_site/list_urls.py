from django.urls import include, path
from django.views.decorators.cache import cache_page, never_cache
from django.views.decorators.vary import vary_on_cookie
from rest_framework.routers import SimpleRouter

from gateway_site.inventory import nested_views, paged_views

router = SimpleRouter()
router.register("halls", nested_views.HallViewSet, basename="hall")
PAGED = (
    *("ByNumber", "BySize", "ByTens", "ByLimit", "InReport", "ByChoice", "ByNumberHeavy"),
    *("SmallList", "InRandomOrder", "AllInRandomOrder", "ByCursor", "ByKey", "WithGaps"),
    *("WithLateGaps", "WithOrphans", "SmallWithGaps", "Untold", "Ranking", "LargePages", "Sliced"),
    *("ByOffset", "ByOffsetWithGaps", "WithFacets", "SlicedDecorated"),
    *(
        "BySizeOfRequest",
        "InRandomOrderByKeyword",
        "InCircles",
        "ByChoiceAndP",
        "ByPageCount",
        "ByPageCountAndLinks",
        "ByCountWithoutLinks",
        "FirstPageOnly",
    ),
    *("MarkedInPages", "MarkedAtOnce", "MarkedBySite", "MarkedInOrder"),
    *(
        "AllAddresses",
        "SomeAddresses",
        "Masked",
        "InFifties",
        "CachedHandler",
        "CachedList",
        "CachedDispatch",
    ),
)
REFUSING = (
    *("ByDecorator", "ByDjangosDecorator", "ByModule", "ByInnerFunction", "ByName"),
    *("ListByDecorator", "ListByDecoratorOfClass", "ListBySerializer"),
)

urlpatterns = [
    path("api/", include(router.urls)),
    path("api/halls/<int:pk>/devices/", nested_views.HallDevices.as_view()),
    *(path(f"api/{name}/", getattr(paged_views, name).as_view()) for name in PAGED),
    *(path(f"api/{name}/", getattr(nested_views, name).as_view()) for name in REFUSING),
    path("api/atomic/<int:pk>/", nested_views.Atomic.as_view()),
    path("api/ListAsEver/", nested_views.ListAsEver.as_view()),
    path("api/Decorated/", never_cache(vary_on_cookie(paged_views.ByOffset.as_view()))),
    path("api/Cached/", cache_page(60)(paged_views.ByLimit.as_view())),
    path("api/CachedHeavy/", paged_views.kept_view(paged_views.CachedHeavy.as_view())),
    path("api/Ruled/", paged_views.ruled(paged_views.ruled_view)),
    path("api/Limited/", paged_views.limited(never_cache(paged_views.ByLimit.as_view()))),
    path("mcp/", include("penstock.django.urls")),
]
