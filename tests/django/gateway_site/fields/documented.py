"""Views that drf-spectacular documents. Import this module only where the package is the site's
default: its decorators look for that when they are applied."""

import django_filters
from django.urls import include, path
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiRequest,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import generics, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.parsers import JSONParser
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.views import APIView

from gateway_site.fields import views
from gateway_site.fields.models import Place, Pump
from gateway_site.fields.serializers import (
    AlbumSerializer,
    MoveSerializer,
    OrderSerializer,
    PartSerializer,
    PlaceSerializer,
    ShortPumpSerializer,
)


@extend_schema_field({"type": "object", "properties": {"km": {"type": "number"}}})
class DistanceField(serializers.Field):
    def to_internal_value(self, data):
        return data["km"]


class TrackSerializer(serializers.Serializer):
    """Fields that drf-spectacular knows better."""

    length = DistanceField(help_text="From end to end.")
    first = PartSerializer()
    last = PartSerializer(required=False)
    count = serializers.IntegerField(read_only=True)


class StopSerializer(serializers.Serializer):
    at = DistanceField()
    part = PartSerializer()


class JourneySerializer(serializers.Serializer):
    stops = StopSerializer(many=True)


class Unheard(serializers.Field):
    def to_internal_value(self, data):
        return data


@extend_schema_field({"type": "file"})
class Wrong(Unheard):
    """A field with an invalid schema."""


@extend_schema_field(OpenApiTypes.STR)
class Text(Unheard):
    pass


@extend_schema_serializer(exclude_fields=["secret"])
class GuessedSerializer(serializers.Serializer):
    unheard = Unheard(help_text="Anything.")
    wrong = Wrong(help_text="Of a kind.")
    text = Text()
    deep = serializers.ListField(child=Unheard())
    maybe = StopSerializer(allow_null=True)
    secret = serializers.CharField()


class ToldFilter(FilterSet):
    near = extend_schema_field(OpenApiTypes.INT)(django_filters.CharFilter("name"))


class PumpViewSet(views.PumpViewSet):
    @extend_schema(
        summary="Pumps of the plant",
        description="With <b>all</b> that stand idle.",
        parameters=[
            OpenApiParameter("idle", OpenApiTypes.BOOL, description="Only those that stand idle."),
            OpenApiParameter("floor", int, required=True, enum=[1, 2]),
            OpenApiParameter("sizes", int, many=True, explode=False),
            OpenApiParameter("called", exclude=True),
        ],
    )
    def list(self, request, *args, **kwargs):
        return super().list(request, *args, **kwargs)

    @extend_schema(parameters=[OpenApiParameter("id", str, "path", description="Its plate.")])
    def retrieve(self, request, *args, **kwargs):
        return super().retrieve(request, *args, **kwargs)

    @extend_schema(parameters=[OpenApiParameter("pk", str, "path", enum=["a"])])
    def destroy(self, request, *args, **kwargs):
        return super().destroy(request, *args, **kwargs)

    @extend_schema(request=MoveSerializer)
    @action(detail=True, methods=["post"])
    def push(self, request, pk=None):
        return Response()

    @extend_schema(
        parameters=[OpenApiParameter("floor", int)], responses=PlaceSerializer(many=True)
    )
    @action(detail=True)
    def places(self, request, pk=None):
        page = self.paginate_queryset(Place.objects.filter(pump=pk))
        return self.get_paginated_response(PlaceSerializer(page, many=True).data)

    @extend_schema(filters=False)
    @action(detail=False)
    def unsorted(self, request):
        return Response(list(self.filter_queryset(self.get_queryset()).values()))

    @extend_schema(request=ShortPumpSerializer(many=True))
    @action(detail=False, methods=["post"])
    def replace_all(self, request):
        return Response()


class Shapes(generics.CreateAPIView):
    """One of two shapes."""

    serializer_class = PlaceSerializer

    @extend_schema(
        request=PolymorphicProxySerializer(
            component_name="Shape",
            serializers=[PartSerializer, MoveSerializer],
            resource_type_field_name=None,
        )
    )
    def post(self, request, *args, **kwargs):
        return Response()


class Tracks(generics.CreateAPIView):
    serializer_class = TrackSerializer


class Guessed(generics.CreateAPIView):
    serializer_class = GuessedSerializer


class Uploads(generics.CreateAPIView):
    serializer_class = GuessedSerializer

    @extend_schema(
        request={
            "multipart/form-data": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "title": "Title"},
                    "file": {"type": "string", "format": "binary", "description": "Scanned."},
                },
                "required": ["title", "file"],
            }
        }
    )
    def post(self, request, *args, **kwargs):
        return Response()

    @extend_schema(request={"application/json": OpenApiRequest(PartSerializer)})
    def put(self, request, *args, **kwargs):
        return Response()

    @extend_schema(request=OpenApiTypes.ANY)
    def patch(self, request, *args, **kwargs):
        return Response()


class OwnSchema(AutoSchema):
    def get_description(self):
        return "Of one pump." if "{id}" in self.path else "Of all pumps."

    def get_override_parameters(self):
        return [OpenApiParameter("tenant", str, required=True), PartSerializer]


class Near(generics.ListAPIView):
    schema = OwnSchema()
    queryset = Pump.objects.all()
    serializer_class = ShortPumpSerializer
    filter_backends = (DjangoFilterBackend,)
    filterset_class = ToldFilter


class Mixed(generics.ListAPIView):
    """A view with a declaration on its method and an inspector: each knows a parameter."""

    schema = OwnSchema()
    queryset = Pump.objects.all()
    serializer_class = ShortPumpSerializer

    @extend_schema(parameters=[OpenApiParameter("told", int)])
    def get(self, request, *args, **kwargs):
        return super().get(request, *args, **kwargs)


class ManySchema(AutoSchema):
    """An inspector that describes lists of records, each with its key."""

    def get_request_serializer(self):
        return KeyedPlaceSerializer(many=True, partial=self.method == "PATCH")

    def get_operation(self, *args, **kwargs):
        operation = super().get_operation(*args, **kwargs)
        if self.method == "DELETE":
            key = self.resolve_serializer(KeySerializer(), "request").ref
            schema = {"type": "array", "items": key}
            operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
        return operation

    def resolve_serializer(self, serializer, direction, *args):
        component = super().resolve_serializer(serializer, direction, *args)
        if self.method == "PATCH":
            component.schema["required"] = ["id"]
        return component


class KeySerializer(serializers.Serializer):
    id = serializers.IntegerField()


@extend_schema_field(OpenApiTypes.BINARY)
class PlanField(serializers.FileField):
    pass


class PlanSerializer(serializers.Serializer):
    plan = PlanField()


class Plans(generics.CreateAPIView):
    serializer_class = PlanSerializer


class KeyedPlaceSerializer(KeySerializer, PlaceSerializer):
    plan = PlanField(required=False)

    class Meta(PlaceSerializer.Meta):
        fields = (*PlaceSerializer.Meta.fields, "plan")


class ManyPlaces(viewsets.GenericViewSet):
    """Changes of many records at once, with code that does not show what it takes."""

    schema = ManySchema()
    queryset = Place.objects.all()
    serializer_class = PlaceSerializer
    filter_backends = (DjangoFilterBackend,)
    filterset_fields = ("name",)

    def change(self, request):
        for row in self._rows(request):
            self.get_queryset().filter(pk=row["id"]).update(name=row["name"])
        return Response(status=204)

    def remove(self, request):
        for row in self._rows(request):
            self.get_queryset().filter(pk=row["id"]).delete()
        return Response(status=204)

    def _rows(self, request):
        rows = KeySerializer(data=request.data, many=True)
        rows.is_valid(raise_exception=True)
        return request.data


class UnaskedSerializer(serializers.Serializer):
    def get_fields(self):
        raise AssertionError("an answer that no tool needs")


class Answering(APIView):
    """A view whose answer is costly to describe."""

    @extend_schema(parameters=[OpenApiParameter("days", int)], responses=UnaskedSerializer)
    def get(self, request):
        return Response({"days": request.query_params.get("days")})


class Journeys(generics.CreateAPIView):
    serializer_class = JourneySerializer


class TrackDetail(generics.UpdateAPIView):
    serializer_class = TrackSerializer
    queryset = Pump.objects.all()


class Albums(generics.CreateAPIView):
    serializer_class = AlbumSerializer


class Orders(generics.CreateAPIView):
    serializer_class = OrderSerializer


class Queried(APIView):
    """A view whose inputs only its documentation tells."""

    @extend_schema(parameters=[OpenApiParameter("days", int)], responses=None)
    def get(self, request):
        return Response({"days": request.query_params.get("days")})

    @extend_schema(request=OpenApiTypes.OBJECT, responses=None)
    def post(self, request):
        return Response(request.data)

    @extend_schema(request=OpenApiTypes.STR, responses=None)
    def put(self, request):
        return Response(request.data)


class RaisingSchema(AutoSchema):
    def get_operation(self, *args, **kwargs):
        raise RuntimeError("no documentation today")


class Undocumented(generics.ListCreateAPIView):
    schema = RaisingSchema()
    queryset = Place.objects.all()
    serializer_class = PlaceSerializer


class Hidden(generics.ListCreateAPIView):
    queryset = Place.objects.all()
    serializer_class = PlaceSerializer

    @extend_schema(exclude=True, parameters=[OpenApiParameter("hidden", str)])
    def post(self, request, *args, **kwargs):
        return super().post(request, *args, **kwargs)


class Warned(viewsets.ViewSet):
    """A view that drf-spectacular cannot document."""

    def list(self, request, floor):
        return Response()

    def create(self, request, floor):
        return Response(request.data)


router = SimpleRouter()
router.register("pumps", PumpViewSet)

urlpatterns = [
    path("", include(router.urls)),
    path("shapes/", Shapes.as_view()),
    path("tracks/", Tracks.as_view()),
    path("tracks/<int:pk>/", TrackDetail.as_view()),
    path("guessed/", Guessed.as_view()),
    path("uploads/", Uploads.as_view()),
    path("json-uploads/", Uploads.as_view(parser_classes=[JSONParser])),
    path("mixed/", Mixed.as_view()),
    path("near/", Near.as_view()),
    path("near/<int:pk>/", Near.as_view()),
    path("journeys/", Journeys.as_view()),
    path("plans/", Plans.as_view()),
    path("answering/", Answering.as_view()),
    path(
        "many-places/",
        ManyPlaces.as_view({"put": "change", "patch": "change", "delete": "remove"}),
    ),
    path("albums/", Albums.as_view()),
    path("orders/", Orders.as_view()),
    path("queried/", Queried.as_view()),
    path("undocumented/", Undocumented.as_view()),
    path("hidden/", Hidden.as_view()),
    path("warned/<floor>/", Warned.as_view({"get": "list", "post": "create"})),
]
