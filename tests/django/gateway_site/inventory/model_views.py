"""Views under Django's permissions of models, which ask for the queryset only to find its model."""

from django.core.exceptions import PermissionDenied
from rest_framework import generics, permissions

from gateway_site.inventory.models import Device, Location
from gateway_site.inventory.serializers import DeviceSerializer, LocationSerializer


class MayView(permissions.DjangoModelPermissions):
    perms_map = {**permissions.DjangoModelPermissions.perms_map, "GET": ["%(app_label)s.view_%(model_name)s"]}  # fmt: skip  # noqa: RUF012


class OfModel(generics.ListAPIView):
    queryset = Device.objects.all()
    serializer_class = DeviceSerializer
    permission_classes = (MayView,)


class Sorted(OfModel):
    """The queryset depends on the query, its model does not."""

    made = 0

    def get_queryset(self):
        Sorted.made += 1
        return super().get_queryset().order_by(self.request.query_params.get("by", "pk"))


class WithHidden(OfModel):
    """The query chooses among rows of the declared model, as in Nautobot."""

    def get_queryset(self):
        shown = super().get_queryset()
        return Device.objects.all() if self.request.query_params.get("hidden") else shown


class OfOtherModel(OfModel):
    """The class declares another model than the one that is listed."""

    serializer_class = LocationSerializer

    def get_queryset(self):
        return Location.objects.all()


class OfChosenModel(OfModel):
    """The query chooses the model."""

    def get_queryset(self):
        chosen = Location if self.request.query_params.get("of") == "halls" else Device
        return chosen.objects.all()

    def get_serializer_class(self):
        return LocationSerializer if "of" in self.request.query_params else DeviceSerializer


class ForStaff(OfModel):
    """The queryset itself refuses callers."""

    def get_queryset(self):
        if not self.request.user.is_staff:
            raise PermissionDenied
        return super().get_queryset()


class WithRows(permissions.BasePermission):
    """A permission that looks at the rows of the queryset, and not only at its model."""

    def has_permission(self, request, view):
        return view.get_queryset().exists()


class OfHall(OfModel):
    permission_classes = (WithRows,)

    def get_queryset(self):
        return super().get_queryset().filter(location__name=self.request.query_params.get("hall"))


class HallsOfDevices(OfModel):
    """A view that lists the rows of another model, by those that its class declares."""

    serializer_class = LocationSerializer

    def get_queryset(self):
        return Location.objects.filter(devices__in=super().get_queryset()).distinct()


class WithoutPumps(MayView):
    """A permission of models that also looks at rows."""

    def has_permission(self, request, view):
        is_allowed = super().has_permission(request, view)
        return is_allowed and not view.get_queryset().filter(kind="pump").exists()


class NoPumps(OfModel):
    permission_classes = (WithoutPumps,)

    def get_queryset(self):
        return super().get_queryset().exclude(kind="pump")


class ByToken(MayView):
    """A permission of models that also looks at the credentials, as in Nautobot."""

    def has_permission(self, request, view):
        if request.auth is None:
            return False
        return super().has_permission(request, view)


class SortedByToken(Sorted):
    permission_classes = (ByToken,)
