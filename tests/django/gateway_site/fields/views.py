"""Views whose tools take something of each kind."""

from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import filters, generics, mixins, pagination, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.response import Response
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from gateway_site.fields import serializers
from gateway_site.fields.filters import HalfBrokenFilter, PumpFilter, StrictFilter
from gateway_site.fields.models import Place, Pump
from gateway_site.fields.serializers import MoveSerializer


class Pages(pagination.PageNumberPagination):
    page_size = 20
    page_size_query_param = "page_size"


class PumpViewSet(viewsets.ModelViewSet):
    queryset = Pump.objects.all()
    serializer_class = serializers.PumpSerializer
    pagination_class = Pages
    filter_backends = (DjangoFilterBackend, filters.SearchFilter, filters.OrderingFilter)
    filterset_class = PumpFilter
    search_fields = ("^name", "=serial", "place__name")
    ordering_fields = ("name", "price")
    ordering = ("-price",)

    def get_serializer_class(self):
        is_short = self.action == "update"
        return serializers.ShortPumpSerializer if is_short else super().get_serializer_class()

    @action(detail=True, methods=["post"])
    def restart(self, request, pk=None):
        """Restart a pump.

        It takes a moment.
        """
        self.get_object()
        return Response({"restarted": pk})

    @action(detail=True, methods=["post"], serializer_class=serializers.MoveSerializer)
    def move(self, request, pk=None):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(status=204)

    @action(detail=True, methods=["post"])
    def carry(self, request, pk=None):
        serializer = MoveSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(status=204)

    @action(detail=False)
    def cheapest(self, request):
        queryset = self.filter_queryset(self.get_queryset()).order_by("price")[:3]
        return Response(self.get_serializer(queryset, many=True).data)

    @action(detail=True)
    def places(self, request, pk=None):
        page = self.paginate_queryset(Place.objects.filter(pump=pk))
        return self.get_paginated_response(serializers.PlaceSerializer(page, many=True).data)

    @action(detail=False)
    def statistics(self, request):
        days = request.query_params.get("days", "7")
        return Response({"days": days})


class ManyViewSet(mixins.CreateModelMixin, viewsets.GenericViewSet):
    """Pumps, many at once."""

    queryset = Pump.objects.all()
    serializer_class = serializers.ShortPumpSerializer

    def get_serializer(self, *args, **kwargs):
        return super().get_serializer(*args, **{"many": True, **kwargs})


class PlaceViewSet(viewsets.ModelViewSet):
    """Where pumps stand.

    Note: only what is in use.

    list: Every place, by name.
    destroy: Give a place up.
    """

    queryset = Place.objects.all()
    serializer_class = serializers.PlaceSerializer
    lookup_field = "slug"
    filter_backends = (filters.OrderingFilter,)


class PumpsOfPlace(viewsets.ReadOnlyModelViewSet):
    """Pumps found by `place_slug`, as in nested routers."""

    serializer_class = serializers.ShortPumpSerializer

    def get_queryset(self):
        return Pump.objects.filter(place__slug=self.kwargs["place_slug"])


class Orders(generics.CreateAPIView):
    serializer_class = serializers.OrderSerializer


class Trees(generics.CreateAPIView):
    serializer_class = serializers.TreeSerializer


class Albums(generics.ListCreateAPIView):
    """Pictures of pumps."""

    queryset = Pump.objects.none()
    serializer_class = serializers.AlbumSerializer


class Pictures(generics.CreateAPIView):
    serializer_class = serializers.PictureSerializer


class Freely(generics.CreateAPIView):
    serializer_class = serializers.FreeSerializer


class Raising(generics.ListCreateAPIView):
    queryset = Pump.objects.all()
    serializer_class = serializers.RaisingSerializer
    filter_backends = (DjangoFilterBackend,)
    filterset_class = HalfBrokenFilter


class Overridden(generics.CreateAPIView):
    """A view with its own way of reading the body."""

    serializer_class = serializers.PlaceSerializer

    def create(self, request, *args, **kwargs):
        return Response(request.data)


class Refusing(viewsets.ViewSet):
    def __init__(self, **kwargs):
        raise RuntimeError("no view today")

    def list(self, request, floor):
        return Response()

    def create(self, request, floor):
        return Response()


class OwnWords(filters.BaseFilterBackend):
    """A view that declares its parameters in OpenAPI."""

    def filter_queryset(self, request, queryset, view):
        return queryset

    def get_schema_operation_parameters(self, view):
        numbers = {"type": "array", "items": {"type": "integer", "format": "int64"}}
        return [
            {"name": "ids", "in": "query", "schema": numbers, "explode": False},
            {"name": "any", "in": "query", "schema": numbers, "style": "pipeDelimited"},
            {"name": "near[km]", "in": "query", "schema": {"type": "number", "nullable": True}},
            {"name": "within", "in": "query", "schema": {"type": "object"}, "style": "deepObject"},
            {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
        ]


class Silent(filters.BaseFilterBackend):
    def filter_queryset(self, request, queryset, view):
        return queryset.filter(name=request.query_params.get("quietly", ""))


class Worded(generics.ListAPIView):
    queryset = Pump.objects.all()
    serializer_class = serializers.ShortPumpSerializer
    filter_backends = (OwnWords,)


class Silently(generics.ListAPIView):
    queryset = Pump.objects.all()
    serializer_class = serializers.ShortPumpSerializer
    filter_backends = (Silent,)


class Limited(generics.ListAPIView):
    queryset = Pump.objects.all()
    serializer_class = serializers.ShortPumpSerializer
    pagination_class = pagination.LimitOffsetPagination


class Strict(generics.ListAPIView):
    """Only of <i>one</i> place, if a &lt; b."""

    queryset = Pump.objects.all()
    serializer_class = serializers.ShortPumpSerializer
    filter_backends = (DjangoFilterBackend,)
    filterset_class = StrictFilter


class Versions(URLPathVersioning):
    default_version = "v2"
    allowed_versions = ("v1", "v2")


class Versioned(APIView):
    versioning_class = Versions

    def get(self, request, version):
        return Response({"version": request.version})


class ServerStatusView(APIView):
    def get(self, request):
        return Response({"up": True})


class States(viewsets.ViewSet):
    def restart(self, request):
        return Response()


@api_view(["GET", "POST"])
def told(request):
    """Tell something, or be told."""
    if request.method == "GET":
        return Response()
    serializer = serializers.PartSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    return Response(serializer.validated_data)


class Discards(APIView):
    def delete(self, request):
        return Response({"discarded": request.data["ids"]})
