"""Views with unusual paginators, requests or permissions, as they occur on real sites."""

from functools import wraps

from django.db.models import Count, F
from django.db.models.functions import Random
from django.http import HttpResponse, HttpResponseRedirect
from rest_framework import generics, parsers, permissions, renderers, serializers, viewsets
from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    TokenAuthentication,
)
from rest_framework.authtoken.models import Token
from rest_framework.decorators import action, api_view
from rest_framework.response import Response
from rest_framework.views import APIView

from gateway_site.inventory.models import Device, Location
from gateway_site.inventory.serializers import DeviceSerializer, LocationSerializer
from gateway_site.inventory.views import Pages
from penstock.django import mcp_heavy, mcp_ignore

ROWS = [{"n": number, "text": "t" * 90} for number in range(500)]


# -- functions --------------------------------------------------------------------------------------


@mcp_ignore
@api_view(["GET"])
def ignored_above(request):
    return Response("never")


@api_view(["GET"])
@mcp_ignore
def ignored_below(request):
    return Response("never")


@mcp_heavy
@api_view(["GET"])
def heavy_above(request):
    return Response(ROWS)


@api_view(["GET"])
@mcp_heavy
def heavy_below(request):
    return Response(ROWS)


# -- lists ------------------------------------------------------------------------------------------


class Lists(viewsets.GenericViewSet):
    queryset = Device.objects.order_by("id")
    serializer_class = DeviceSerializer
    pagination_class = Pages


class WithoutView(Lists):
    """A view that does not pass itself to its paginator."""

    def list(self, request):
        page = self.paginator.paginate_queryset(self.get_queryset(), request)
        return self.paginator.get_paginated_response(self.get_serializer(page, many=True).data)


class AskingFirst(Lists):
    def list(self, request):
        size = self.paginator.get_page_size(request)
        page = self.paginate_queryset(self.get_queryset())
        rows = self.get_serializer(page, many=True).data
        return self.get_paginated_response([{"size": size, "id": row["id"]} for row in rows])


class OwnPaginator(APIView):
    """Devices, by a paginator that it makes itself."""

    def get(self, request):
        paginator = Pages()
        page = paginator.paginate_queryset(Device.objects.order_by("id"), request, view=self)
        return paginator.get_paginated_response(DeviceSerializer(page, many=True).data)


class HeavyOwnPaginator(OwnPaginator):
    @mcp_heavy
    def get(self, request):
        paginator = Pages()
        page = paginator.paginate_queryset(Device.objects.order_by("id"), request, view=self)
        return paginator.get_paginated_response(DeviceSerializer(page, many=True).data)


class Ranked(Lists):
    pagination_class = None

    @mcp_heavy
    def list(self, request):
        rows = self.get_serializer(self.get_queryset(), many=True).data
        for rank, row in enumerate(rows, 1):
            row["rank"] = rank
        return Response(rows)


class Choosy(serializers.ListSerializer):
    def to_representation(self, data):
        return [row for row in super().to_representation(data) if row["id"] % 4]


class ChoosySerializer(serializers.ModelSerializer):
    class Meta:
        model = Device
        fields = ("id", "name")
        list_serializer_class = Choosy


@mcp_heavy
class ChoosyViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Device.objects.order_by("id")
    serializer_class = ChoosySerializer


class WithMeta(Pages):
    def get_paginated_response(self, data):
        return Response({"unit": "EUR", "data": data})


class MetaViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Location.objects.all()
    serializer_class = LocationSerializer
    pagination_class = WithMeta


class Unsized(Pages):
    page_size = None


class UnsizedViewSet(MetaViewSet):
    pagination_class = Unsized


@mcp_heavy
class CountedViewSet(viewsets.ReadOnlyModelViewSet):
    """Grouped by the database, and many alike."""

    queryset = Location.objects.annotate(number=Count("devices")).order_by("number")
    serializer_class = LocationSerializer


@mcp_heavy
class RandomViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Device.objects.order_by("?")
    serializer_class = DeviceSerializer


@mcp_heavy
class RandomlyViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Device.objects.annotate(chance=Random()).order_by("chance")
    serializer_class = DeviceSerializer


@mcp_heavy
class JoinedViewSet(viewsets.ReadOnlyModelViewSet):
    """A row for each reading of a device."""

    queryset = Device.objects.annotate(value=F("readings__value")).order_by("name")
    serializer_class = DeviceSerializer


class Chosen(Pages):
    def paginate_queryset(self, queryset, request, view=None):
        hidden = Device.objects.order_by("id")[:10].values("pk")
        return super().paginate_queryset(queryset.exclude(pk__in=hidden), request, view)


class ChoosingViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Device.objects.order_by("id")
    serializer_class = DeviceSerializer
    pagination_class = Chosen


class TwoLists(Lists):
    pagination_class = None

    def list(self, request):
        devices = self.get_serializer(self.get_queryset(), many=True).data
        locations = LocationSerializer(Location.objects.all(), many=True).data
        return Response({"devices": devices, "locations": locations})


# -- requests ---------------------------------------------------------------------------------------


class Changing(APIView):
    """A view that changes its request."""

    def get(self, request):
        request.GET._mutable = True
        request.GET["owner"] = request.user.get_username()
        return Response({})


class Showing(APIView):
    def get(self, request):
        return Response({"query": dict(request.query_params)})


class VerifySerializer(serializers.Serializer):
    name = serializers.CharField()
    verify = serializers.BooleanField(default=False)


class Verifying(generics.GenericAPIView):
    """A view whose own parameter has the name of one of Penstock's."""

    serializer_class = VerifySerializer

    def post(self, request):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.validated_data)


class Removing(APIView):
    def delete(self, request):
        return Response({"removed": request.data.get("ids", "all")})


class Searching(generics.GenericAPIView):
    """Find devices by more than a query string holds."""

    def post(self, request):
        return Response(DeviceSerializer(Device.objects.order_by("id")[:10], many=True).data)


class Calculating(APIView):
    def post(self, request):
        return Response({"total": 12_345, "explained": "x" * 400})


class CSV(renderers.BaseRenderer):
    media_type, format = "text/csv", "csv"

    def render(self, data, *_, **__):
        return "a,b\n1,2\n"


class AsCSV(APIView):
    renderer_classes = (CSV,)

    def get(self, request):
        return Response([{"a": 1, "b": 2}])


class ByForm(generics.GenericAPIView):
    parser_classes = (parsers.FormParser,)
    serializer_class = LocationSerializer

    def post(self, request):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response({"name": serializer.validated_data["name"]})


class UploadSerializer(serializers.Serializer):
    title = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    file = serializers.FileField(required=False)
    more = serializers.ListField(child=serializers.FileField(), required=False)


class Uploading(generics.GenericAPIView):
    """A view that takes files by its serializer, in a form or beside JSON."""

    serializer_class = UploadSerializer

    def post(self, request):
        made = self.get_serializer(data=request.data)
        made.is_valid(raise_exception=True)
        sent = request.content_type.partition(";")[0]
        return Response({"sent": sent, "tags": made.validated_data.get("tags"), **named(request)})


class UploadingAnything(APIView):
    """A view whose code alone says that it takes files."""

    def post(self, request):
        return Response({**request.data.dict(), **named(request)})


def named(request):
    """Return the name, the media type and the content of each file of a request."""
    files = (file for name in request.FILES for file in request.FILES.getlist(name))
    return {"files": [[file.name, file.content_type, file.read().hex()] for file in files]}


class Importing(APIView):
    """A write that answers with a count of what it has made, and with no key."""

    def post(self, request):
        rows = [{"row": number} for number in range(20)]
        return Response({"task_count": 1_500, "name": "import", "formats": rows}, status=201)


class Exporting(APIView):
    """A view that makes its response itself, under a media type of its own."""

    def get(self, request):
        is_lines = "lines" in request.query_params
        kind = "application/x-ndjson" if is_lines else "application/.json"
        return HttpResponse(b'{"a": 1}\n{"a": 2}' if is_lines else b'{"a": 1}', content_type=kind)


class Redirecting(APIView):
    def get(self, request):
        return HttpResponseRedirect("https://files.example/report.pdf")


# -- who calls --------------------------------------------------------------------------------------


class SessionsOnly(generics.ListCreateAPIView):
    queryset = Location.objects.all()
    serializer_class = LocationSerializer
    authentication_classes = (SessionAuthentication,)


class Tenants(TokenAuthentication):
    """An authentication class that sets an attribute of the request."""

    def authenticate(self, request):
        found = super().authenticate(request)
        request.tenant = "none" if found is None else f"tenant of {found[0].get_username()}"
        return found


class Service:
    """A user that is no model of Django's."""

    is_authenticated = True

    def __init__(self, name):
        self.pk = name


class Services(BaseAuthentication):
    def authenticate(self, request):
        name = request.headers.get("X-Service")
        return (Service(name), None) if name else None


class OfTenant(APIView):
    authentication_classes = (Tenants,)

    def get(self, request):
        return Response({"tenant": request.tenant})


class InFirstHall(permissions.BasePermission):
    """A permission that needs the URL's arguments."""

    def has_permission(self, request, view):
        return int(view.kwargs["location_pk"]) == Location.objects.order_by("id").first().pk


class NestedViewSet(viewsets.ReadOnlyModelViewSet):
    serializer_class = DeviceSerializer
    permission_classes = (InFirstHall,)

    def get_queryset(self):
        return Device.objects.filter(location_id=self.kwargs["location_pk"]).order_by("id")


class HasProject(permissions.BasePermission):
    def has_permission(self, request, view):
        return view.project == 1


class WithProject(generics.RetrieveAPIView):
    """A view that prepares itself before it lets a request in."""

    queryset = Device.objects.all()
    serializer_class = DeviceSerializer
    permission_classes = (HasProject,)

    def initial(self, request, *args, **kwargs):
        self.project = 1
        super().initial(request, *args, **kwargs)


class IsOwner(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        return obj.owner_id == request.user.pk


class Mine(generics.RetrieveAPIView):
    """An object that no URL names."""

    serializer_class = DeviceSerializer
    permission_classes = (permissions.IsAuthenticated, IsOwner)

    def get_object(self):
        found = Device.objects.order_by("id").first()
        self.check_object_permissions(self.request, found)
        return found


class Closed(permissions.BasePermission):
    def has_permission(self, request, view):
        return False


class PartlyClosed(Lists):
    @action(detail=False, permission_classes=[Closed])
    def closed(self, request):
        return Response("never")


class OpenUrl(permissions.BasePermission):
    """A permission that looks for an argument, and refuses without it."""

    def has_permission(self, request, view):
        return view.kwargs.get("key") == "open"


class OpenQuery(permissions.BasePermission):
    def has_permission(self, request, view):
        return request.query_params.get("key") == "open"


class OpenBody(permissions.BasePermission):
    def has_permission(self, request, view):
        return request.data.get("key") == "open"


class OpenKwargs(permissions.BasePermission):
    """A permission that passes on all arguments, and refuses if there are none."""

    def has_permission(self, request, view):
        return (
            Location.objects.filter(name="hall 0", **view.kwargs).exists() if view.kwargs else False
        )


class OpenItems(permissions.BasePermission):
    def has_permission(self, request, view):
        return ("key", "open") in [*request.query_params.items()]


class OpenCopy(permissions.BasePermission):
    def has_permission(self, request, view):
        return request.query_params.copy().get("key") == "open"


class OpenLength(permissions.BasePermission):
    def has_permission(self, request, view):
        return len(request.data) == 1


class PoliteKwargs(APIView):
    permission_classes = (OpenKwargs,)

    def get(self, request, pk):
        return Response("in")


class PoliteUrl(APIView):
    permission_classes = (OpenUrl,)

    def get(self, request, key):
        return Response("in")


class PoliteQuery(APIView):
    permission_classes = (OpenQuery,)

    def get(self, request):
        return Response("in")


class PoliteBody(APIView):
    permission_classes = (OpenBody,)

    def post(self, request):
        return Response({"in": request.data["key"]})


def let_in(view):
    @wraps(view)
    def guarded(request, *args, **kwargs):
        token = request.headers.get("Authorization", "").removeprefix("Token ")
        if not Token.objects.filter(key=token, user__first_name="let in").exists():
            return HttpResponse(status=403)
        return view(request, *args, **kwargs)

    return guarded


class Rows(APIView):
    def get(self, request):
        return Response(ROWS)


class BehindDispatch(Rows):
    def dispatch(self, request, *args, **kwargs):
        return let_in(super().dispatch)(request, *args, **kwargs)


class SetUp(Rows):
    def setup(self, request, *args, **kwargs):
        super().setup(request, *args, **kwargs)
        self.ready = True

    def check_permissions(self, request):
        super().check_permissions(request)
        assert self.ready


class AddressSerializer(serializers.Serializer):
    address = serializers.CharField()


class LookingUp(generics.GenericAPIView):
    serializer_class = AddressSerializer

    def post(self, request):
        serializer = self.get_serializer(data=request.data, many=True)
        serializer.is_valid(raise_exception=True)
        return Response([{"found": "b" * 90} for _ in serializer.validated_data])
