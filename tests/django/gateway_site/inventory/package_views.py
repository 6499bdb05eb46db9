"""Views as third-party packages make them: generic views, and much that no router has named."""

import datetime as dt
from decimal import Decimal
from typing import ClassVar

from django.contrib.auth.decorators import login_required
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.models import User
from rest_framework import generics, permissions, serializers, viewsets
from rest_framework.authentication import SessionAuthentication, TokenAuthentication
from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.views import APIView

from gateway_site.inventory.models import Device, Location
from gateway_site.inventory.serializers import LocationSerializer


class Totals(APIView):
    """Values that no serializer has prepared."""

    def get(self, request):
        return Response(
            {"sum": Decimal("0.10"), "lasts": dt.timedelta(hours=1), "rows": [{"n": Decimal(2)}]}
        )


@login_required
@api_view(["GET"])
def for_sessions(request):
    return Response("in")


class ForSessions(LoginRequiredMixin, Totals):
    pass


class OfBranch(permissions.BasePermission):
    """A permission that fails without the URL's arguments."""

    def has_permission(self, request, view):
        return int(view.branch) > 0


class Branch(APIView):
    permission_classes = (OfBranch,)

    def get(self, request, number):
        return Response(number)


class Branches(Branch):
    pass


class SlotSerializer(serializers.ModelSerializer):
    """A record of which the site chooses a part."""

    class Meta:
        model = Device
        fields = ("id", "name", "kind", "price", "seen", "key", "notes")


class Slots(generics.CreateAPIView):
    """Slots, whose number the site assigns."""

    def post(self, request, hall):
        notes = request.data.get("notes", "")
        made = Device.objects.create(location_id=hall, name="slot 7", price="1.50", notes=notes)
        return Response(SlotSerializer(made).data, status=201)


class Parts(generics.ListCreateAPIView):
    queryset = Location.objects.all()
    serializer_class = LocationSerializer


class Part(generics.RetrieveUpdateDestroyAPIView):
    queryset = Location.objects.all()
    serializer_class = LocationSerializer


class PartsBelow(generics.ListAPIView):
    serializer_class = LocationSerializer

    def get_queryset(self):
        return Location.objects.filter(name__startswith=self.kwargs["above"])


# -- passwords ---------------------------------------------------------------------------------


class OwnToken(ObtainAuthToken):
    """A package's own version of another package's view."""


class LoginSerializer(serializers.Serializer):
    username = serializers.CharField()
    password1 = serializers.CharField()


class Login(APIView):
    serializer_class = LoginSerializer

    def get(self, request):
        return Response("in")

    def post(self, request):
        return Response("never")


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ("id", "username", "password")
        extra_kwargs: ClassVar = {"password": {"write_only": True}}


class Users(generics.ListCreateAPIView):
    queryset = User.objects.all()
    serializer_class = UserSerializer


class NetworkSerializer(serializers.ModelSerializer):
    """A record with a password that is data like any other."""

    password = serializers.CharField(source="notes")

    class Meta:
        model = Device
        fields = ("id", "name", "password")


class Networks(generics.CreateAPIView):
    queryset = Device.objects.all()
    serializer_class = NetworkSerializer


# -- authentication ----------------------------------------------------------------------------


class BearerAuthentication(TokenAuthentication):
    keyword = "Bearer"


class OwnSessions(SessionAuthentication):
    pass


class Hosts(generics.ListCreateAPIView):
    queryset = Location.objects.all()
    serializer_class = LocationSerializer
    authentication_classes = (BearerAuthentication, OwnSessions)


# -- query strings -----------------------------------------------------------------------------

NAMED = "named"


def first_letter(request):
    return request.GET.get("letter", "")


class Chosen(Parts):
    """Parts that the code of the view chooses by parameters, which nothing declares."""

    least = "least"

    def get_queryset(self):
        given = self.request.query_params
        found = super().get_queryset().filter(name__startswith=first_letter(self.request))
        if self.least in given:
            found = found.filter(pk__gte=given[self.least])
        return found.filter(name__contains=self.request.GET.get(NAMED, ""))


class ChosenAnyhow(Parts):
    def get_queryset(self):
        found = super().get_queryset().filter(**self.request.GET.dict())
        return found.filter(pk__gte=self.request.GET.get("least", 0))


@api_view(["GET"])
def statistics(request):
    return Response({"days": request.query_params.get("days", "7")})


# -- descriptions ------------------------------------------------------------------------------


class LocationHostsView(Parts):
    pass


class LocationListCreateView(Parts):
    pass


class ImportLocationAPIView(Parts):
    def post(self, request):
        return Response({"read": 3})


class LocationViewSet(viewsets.ModelViewSet):
    """The halls of the plant.

    You can filter the halls by their names. For example:

    `/api/halls/?name=a` returns only one.
    """

    queryset = Location.objects.all()
    serializer_class = LocationSerializer


@api_view(["GET"])
def location_list(request):
    return Response([])
