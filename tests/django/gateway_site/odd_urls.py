from django.urls import include, path
from rest_framework.parsers import FileUploadParser, FormParser, MultiPartParser
from rest_framework.routers import SimpleRouter

from gateway_site.inventory import odd_views as views

FORMS = [FormParser, MultiPartParser]

router = SimpleRouter()
router.register("without_view", views.WithoutView, basename="without_view")
router.register("asking_first", views.AskingFirst, basename="asking_first")
router.register("ranked", views.Ranked, basename="ranked")
router.register("choosy", views.ChoosyViewSet, basename="choosy")
router.register("meta", views.MetaViewSet, basename="meta")
router.register("unsized", views.UnsizedViewSet, basename="unsized")
router.register("counted", views.CountedViewSet, basename="counted")
router.register("random", views.RandomViewSet, basename="random")
router.register("randomly", views.RandomlyViewSet, basename="randomly")
router.register("joined", views.JoinedViewSet, basename="joined")
router.register("choosing", views.ChoosingViewSet, basename="choosing")
router.register("two_lists", views.TwoLists, basename="two_lists")
router.register("partly", views.PartlyClosed, basename="partly")
router.register(r"halls/(?P<location_pk>\d+)/devices", views.NestedViewSet, basename="nested")

urlpatterns = [
    path("api/", include(router.urls)),
    path("api/ignored_above/", views.ignored_above),
    path("api/ignored_below/", views.ignored_below),
    path("api/heavy_above/", views.heavy_above),
    path("api/heavy_below/", views.heavy_below),
    path("api/own_paginator/", views.OwnPaginator.as_view()),
    path("api/changing/", views.Changing.as_view()),
    path("api/showing/", views.Showing.as_view()),
    path("api/verifying/", views.Verifying.as_view()),
    path("api/removing/", views.Removing.as_view()),
    path("api/searching/", views.Searching.as_view()),
    path("api/calculating/", views.Calculating.as_view()),
    path("api/as_csv/", views.AsCSV.as_view()),
    path("api/by_form/", views.ByForm.as_view()),
    path("api/uploading/", views.Uploading.as_view()),
    path("api/form/", views.Uploading.as_view(parser_classes=[MultiPartParser])),
    path("api/any_form/", views.UploadingAnything.as_view(parser_classes=FORMS)),
    path("api/raw/", views.UploadingAnything.as_view(parser_classes=[FileUploadParser])),
    path("api/importing/", views.Importing.as_view()),
    path("api/exporting/", views.Exporting.as_view()),
    path("api/redirecting/", views.Redirecting.as_view()),
    path("api/sessions/", views.SessionsOnly.as_view()),
    path("api/tenant/", views.OfTenant.as_view()),
    path("api/project/<int:pk>/", views.WithProject.as_view()),
    path("api/mine/", views.Mine.as_view()),
    path("api/polite_url/<str:key>/", views.PoliteUrl.as_view()),
    path("api/polite_kwargs/<int:pk>/", views.PoliteKwargs.as_view()),
    *(
        path(f"api/polite_{name}/", views.PoliteQuery.as_view(permission_classes=[kind]))
        for name, kind in (("items", views.OpenItems), ("copy", views.OpenCopy))
    ),
    path("api/polite_length/", views.PoliteBody.as_view(permission_classes=[views.OpenLength])),
    path("api/polite_query/", views.PoliteQuery.as_view()),
    path("api/polite_body/", views.PoliteBody.as_view()),
    path("api/heavy_own_paginator/", views.HeavyOwnPaginator.as_view()),
    path("api/behind_decorator/", views.let_in(views.Rows.as_view())),
    path("api/behind_dispatch/", views.BehindDispatch.as_view()),
    path("api/set_up/", views.SetUp.as_view()),
    path("api/looking_up/", views.LookingUp.as_view()),
    path("mcp/", include("penstock.django.urls")),
]
