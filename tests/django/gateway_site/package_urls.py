"""A site of third-party packages, with URLs that their authors have written by hand."""

from django.urls import include, path
from rest_framework.urlpatterns import format_suffix_patterns

from gateway_site.inventory import package_views as views

urlpatterns = [
    path("api/totals/", views.Totals.as_view()),
    path("api/for_sessions/", views.for_sessions),
    path("api/sessions/", views.ForSessions.as_view()),
    path("api/branches/<int:number>/", views.Branch.as_view()),
    path("api/branches/<int:number>/more/", views.Branches.as_view()),
    path("api/halls/<int:hall>/slots/", views.Slots.as_view()),
    path("api/parts/", views.Parts.as_view()),
    path("api/parts/<int:pk>/", views.Part.as_view()),
    path("api/parts/<slug:above>/", views.PartsBelow.as_view()),
    path("api/own_token/", views.OwnToken.as_view()),
    path("api/login/", views.Login.as_view()),
    path("api/users/", views.Users.as_view()),
    path("api/networks/", views.Networks.as_view()),
    path("api/hosts/", views.Hosts.as_view()),
    path("api/chosen/", views.Chosen.as_view()),
    path("api/chosen_anyhow/", views.ChosenAnyhow.as_view()),
    path("api/statistics/", views.statistics),
    path("api/location_hosts/", views.LocationHostsView.as_view()),
    path("api/locations/", views.LocationListCreateView.as_view()),
    path("api/import_location/", views.ImportLocationAPIView.as_view()),
    path("api/location_list/", views.location_list),
    path("api/described/", views.LocationViewSet.as_view({"get": "list", "post": "create"})),
    path("api/admin/parts/", views.Parts.as_view()),
    path("api/admin/parts/<int:pk>/", views.Part.as_view()),
]
urlpatterns = [
    *format_suffix_patterns(urlpatterns),
    path("mcp/", include("penstock.django.urls")),
]
