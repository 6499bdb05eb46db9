"""The URLs of the site: the API, the administration, the pages, and the gateway's."""

from django.urls import include, path
from inside import gateway
from wagtail import urls as wagtail_urls
from wagtail.admin import urls as admin_urls
from wagtail.api.v2.router import WagtailAPIRouter
from wagtail.api.v2.views import PagesAPIViewSet
from wagtail.documents import urls as document_urls
from wagtail.documents.api.v2.views import DocumentsAPIViewSet
from wagtail.images.api.v2.views import ImagesAPIViewSet

api = WagtailAPIRouter("wagtailapi")
api.register_endpoint("pages", PagesAPIViewSet)
api.register_endpoint("images", ImagesAPIViewSet)
api.register_endpoint("documents", DocumentsAPIViewSet)

urlpatterns = [
    *gateway.urls(),
    path("api/v2/", api.urls),
    path("admin/", include(admin_urls)),
    path("documents/", include(document_urls)),
    path("", include(wagtail_urls)),
]
