from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.authtoken.views import obtain_auth_token
from rest_framework_simplejwt.views import TokenObtainPairView

urlpatterns = [
    path("api/token/", obtain_auth_token),
    path("api/jwt/token/", TokenObtainPairView.as_view()),
    path("api/schema/", SpectacularAPIView.as_view()),
    path("mcp/", include("penstock.django.urls")),
]
