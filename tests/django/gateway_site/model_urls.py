from django.urls import include, path

from gateway_site.inventory import model_views as views

urlpatterns = [
    path("api/sorted/", views.Sorted.as_view()),
    path("api/hidden/", views.WithHidden.as_view()),
    path("api/other/", views.OfOtherModel.as_view()),
    path("api/chosen/", views.OfChosenModel.as_view()),
    path("api/staff/", views.ForStaff.as_view()),
    path("api/hall/", views.OfHall.as_view()),
    path("api/halls_of/", views.HallsOfDevices.as_view()),
    path("api/no_pumps/", views.NoPumps.as_view()),
    path("api/by_token/", views.SortedByToken.as_view()),
    path("mcp/", include("penstock.django.urls")),
]
