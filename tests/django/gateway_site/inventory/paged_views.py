"""Lists whose paginators have their own way to make a page, as on real sites."""

from functools import wraps

from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_page, never_cache
from rest_framework import generics, permissions, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import (
    BasePagination,
    CursorPagination,
    LimitOffsetPagination,
    PageNumberPagination,
)
from rest_framework.response import Response
from rest_framework.views import APIView

from gateway_site.inventory.models import Device, Location
from gateway_site.inventory.nested_views import HoldsKey
from gateway_site.inventory.serializers import DeviceSerializer, LocationSerializer
from gateway_site.inventory.views import Pages
from penstock.django import mcp_heavy


class DeviceLists(generics.ListAPIView):
    queryset = Device.objects.order_by("name")
    serializer_class = DeviceSerializer


# -- paginators that count --------------------------------------------------------------------------


class Calling(PageNumberPagination):
    """A paginator that only calls the one it extends."""

    page_size = 50

    def paginate_queryset(self, queryset, request, view=None):
        return super().paginate_queryset(queryset, request, view)


class ByNumber(DeviceLists):
    pagination_class = Calling


class Sized(Calling):
    page_size_query_param = "page_size"
    max_page_size = 30


class BySize(DeviceLists):
    pagination_class = Sized


class AtLeastTen(Sized):
    """A paginator with a smallest page, which no attribute tells."""

    max_page_size = None

    def get_page_size(self, request):
        return max(10, super().get_page_size(request))


class ByTens(DeviceLists):
    pagination_class = AtLeastTen


class SizedByRequest(PageNumberPagination):
    """A paginator that finds the size of its pages in its own request."""

    page_size = 50

    def get_page_size(self, request):
        return 100 if "big" in self.request.query_params else 50


class BySizeOfRequest(DeviceLists):
    pagination_class = SizedByRequest


class OptionalLimits(LimitOffsetPagination):
    """A paginator for which a limit of 0 means all rows, as in Nautobot."""

    default_limit = 50
    largest = 100

    def paginate_queryset(self, queryset, request, view=None):
        self.count = self.get_count(queryset)
        self.limit = self.get_limit(request)
        self.offset = self.get_offset(request)
        self.request = request
        if self.count == 0 or self.offset > self.count:
            return []
        stop = self.offset + self.limit if self.limit else None
        return list(queryset[self.offset : stop])

    def get_limit(self, request):
        limit = request.query_params.get(self.limit_query_param)
        return self.default_limit if limit is None else min(int(limit), self.largest)


class ByLimit(DeviceLists):
    pagination_class = OptionalLimits


class Reported(Sized):
    """A paginator with an answer of its own form, as in Label Studio."""

    def get_paginated_response(self, data):
        return Response({"unit": "EUR", "all": {"rows": data}})


class Masking(PageNumberPagination):
    """A paginator that hides something in its answers, and adds something."""

    page_size = 50

    def get_paginated_response(self, data):
        response = super().get_paginated_response([{**row, "price": "hidden"} for row in data])
        response.data["sum"] = 4711
        return response


class Masked(DeviceLists):
    pagination_class = Masking


class InReport(generics.GenericAPIView):
    """The devices of a hall, which the handler looks up."""

    serializer_class = DeviceSerializer
    pagination_class = Reported
    permission_classes = (permissions.IsAuthenticated, HoldsKey)

    def get(self, request):
        hall = get_object_or_404(Location, name=request.query_params.get("hall"))
        self.check_object_permissions(request, hall)
        page = self.paginate_queryset(hall.devices.all())
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


class ByChoice(DeviceLists):
    """A view that chooses its paginator for each request."""

    @property
    def pagination_class(self):
        return OptionalLimits if self.request.user.is_authenticated else None


class CallingByP(Calling):
    page_query_param = "p"


class ByChoiceAndP(DeviceLists):
    """The name of the parameter is not known before a request."""

    def get_queryset(self):
        self.request.query_params.get("p")
        return super().get_queryset()

    @property
    def pagination_class(self):
        return CallingByP if self.request.user.is_authenticated else None


@mcp_heavy(page_size=40)
class ByNumberHeavy(ByNumber):
    pass


class SmallList(generics.ListAPIView):
    queryset = Location.objects.all()
    serializer_class = LocationSerializer
    pagination_class = Reported


class InRandomOrder(DeviceLists):
    queryset = Device.objects.order_by("?")
    pagination_class = Sized


class AllInRandomOrder(DeviceLists):
    queryset = Device.objects.order_by("?")
    pagination_class = AtLeastTen


class InRandomOrderByKeyword(InRandomOrder):
    def get(self, request):
        page = self.paginate_queryset(queryset=self.get_queryset())
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


# -- paginators that do not count, or not the rows that they show ------------------------------------


class CallingCursors(CursorPagination):
    page_size = 30
    ordering = "-id"

    def paginate_queryset(self, queryset, request, view=None):
        return super().paginate_queryset(queryset, request, view)


class ByCursor(DeviceLists):
    pagination_class = CallingCursors


class Hiding(Calling):
    """A paginator that leaves out some rows of a page, and counts them."""

    def paginate_queryset(self, queryset, request, view=None):
        page = super().paginate_queryset(queryset, request, view)
        return [device for device in page if device.pk % 5]


class WithGaps(DeviceLists):
    pagination_class = Hiding


class HidingLate(Calling):
    """A paginator whose first page tells nothing of the gaps in later ones."""

    def paginate_queryset(self, queryset, request, view=None):
        page = super().paginate_queryset(queryset, request, view)
        return page[:-1] if self.page.number == 2 else page


class WithLateGaps(DeviceLists):
    pagination_class = HidingLate


class Generous(Paginator):
    """A paginator of Django's whose last page takes in a short rest."""

    def __init__(self, rows, size):
        super().__init__(rows, size, orphans=40)


class CallingGenerously(Calling):
    django_paginator_class = Generous


class WithOrphans(DeviceLists):
    pagination_class = CallingGenerously


class SmallWithGaps(generics.ListAPIView):
    queryset = Location.objects.all()
    serializer_class = LocationSerializer
    pagination_class = HidingLate


class Following(BasePagination):
    """A paginator of a site's own, with links and without a count."""

    def paginate_queryset(self, queryset, request, view=None):
        self.request = request
        start = int(request.query_params.get("after", 0))
        found = list(queryset.filter(pk__gt=start).order_by("pk")[:31])
        self.last = found[29].pk if len(found) > 30 else None
        return found[:30]

    def get_next_link(self):
        url = self.request.build_absolute_uri(self.request.path)
        return None if self.last is None else f"{url}?after={self.last}"

    def get_previous_link(self):
        return None

    def get_paginated_response(self, data):
        return Response({"rows": data, "more": self.last is not None})


class ByKey(DeviceLists):
    pagination_class = Following


class Addresses:
    """All addresses of a network, which are in no database, as in openwisp-ipam."""

    def __init__(self, rows):
        self.rows = rows

    def count(self):
        return self.rows.stop - self.rows.start

    def __getitem__(self, wanted):
        found = self.rows[wanted]
        return Addresses(found) if isinstance(wanted, slice) else {"address": f"a{found}"}

    def __iter__(self):
        return ({"address": f"a{number}"} for number in self.rows)


class FromAddress(BasePagination):
    """A paginator that counts, and finds a page by the address of its first row."""

    start_query_param = "start"

    def paginate_queryset(self, queryset, request, view=None):
        self.count, self.queryset, self.request = queryset.count(), queryset, request
        self.offset = self.get_offset(request)
        return list(queryset[self.offset : self.offset + 256])

    def get_offset(self, request):
        try:
            return int(request.query_params[self.start_query_param].removeprefix("a"))
        except KeyError:
            return 0

    def get_next_link(self):
        following = self.offset + 256
        if following >= self.count:
            return None
        return f"/?{self.start_query_param}={self.queryset[following]['address']}"

    def get_paginated_response(self, data):
        return Response({"next": self.get_next_link(), "results": data})


class AddressSerializer(serializers.Serializer):
    address = serializers.CharField()


class AllAddresses(generics.ListAPIView):
    queryset = Device.objects.none()
    serializer_class = AddressSerializer
    pagination_class = FromAddress
    bits = 62

    def get_queryset(self):
        return Addresses(range(2**self.bits))


class SomeAddresses(AllAddresses):
    bits = 10


class Circling(Following):
    """A paginator whose link always leads to the same page."""

    def get_next_link(self):
        return "/?after=1"


class InCircles(DeviceLists):
    pagination_class = Circling


# -- pages that cannot be put together ---------------------------------------------------------------


class Blind(BasePagination):
    """A paginator that tells neither how much there is nor where."""

    def paginate_queryset(self, queryset, request, view=None):
        start = int(request.query_params.get("from", 0))
        return list(queryset[start : start + 30])

    def get_paginated_response(self, data):
        return Response(data)


class Untold(DeviceLists):
    pagination_class = Blind


class Counting(BasePagination):
    """A paginator that finds pages by an offset, and makes no links, as in Wagtail."""

    size = 30

    def paginate_queryset(self, queryset, request, view=None):
        offset = int(request.GET.get("offset", 0))
        limit = int(request.GET.get("limit", self.size))
        if limit > self.size:
            raise ValidationError("limit is too high")
        self.total_count = queryset.count()
        return queryset[offset : offset + limit]

    def get_paginated_response(self, data):
        return Response({"meta": {"total_count": self.total_count}, "items": data})


class ByOffset(DeviceLists):
    pagination_class = Counting


class CountingPages(BasePagination):
    """A paginator whose count is that of the page."""

    def paginate_queryset(self, queryset, request, view=None):
        offset = int(request.GET.get("offset", 0))
        page = list(queryset[offset : offset + 31])
        self.count = len(page[:30])
        self.following = offset + 30 if len(page) > 30 else None
        return page[:30]

    def get_paginated_response(self, data):
        return Response({"count": self.count, "next_offset": self.following, "items": data})


class ByPageCount(DeviceLists):
    pagination_class = CountingPages


class CountingPagesWithLinks(CountingPages):
    def get_next_link(self):
        return f"/?offset={self.following}" if self.following else None


class ByPageCountAndLinks(DeviceLists):
    pagination_class = CountingPagesWithLinks


class CountingWithoutLinks(Counting):
    def paginate_queryset(self, queryset, request, view=None):
        request.GET.get("offset", 0)
        return super().paginate_queryset(queryset, request, view)

    def get_next_link(self):
        return None


class ByCountWithoutLinks(DeviceLists):
    pagination_class = CountingWithoutLinks


class Leading(CountingWithoutLinks):
    """A paginator that counts all rows, and leads to its first page only."""

    def paginate_queryset(self, queryset, request, view=None):
        self.total_count = queryset.count()
        return list(queryset[:30])


class FirstPageOnly(DeviceLists):
    pagination_class = Leading


class CountingTwice(Counting):
    """A paginator that hides rows after it has sliced them."""

    def paginate_queryset(self, queryset, request, view=None):
        request.GET.get("offset")
        page = super().paginate_queryset(queryset, request, view)
        return [device for device in page if device.pk % 5]


class ByOffsetWithGaps(DeviceLists):
    pagination_class = CountingTwice


class WithFacets(DeviceLists):
    """A list whose pages hold more than rows."""

    pagination_class = Calling

    def list(self, request, *args, **kwargs):
        response = super().list(request, *args, **kwargs)
        response.data["facets"] = {"router": 44}
        return response


class Ranking(DeviceLists):
    """A view that builds its own answer from a page."""

    pagination_class = Sized

    def list(self, request):
        page = self.paginate_queryset(self.get_queryset())
        rows = self.get_serializer(page, many=True).data
        return Response(
            {"best": rows[0], "ranks": [{"rank": n, **row} for n, row in enumerate(rows)]}
        )


class Large(Pages):
    page_size = 100


class LargePages(APIView):
    """Devices, by pages of its own that are above the budget."""

    def get(self, request):
        paginator = Large()
        page = paginator.paginate_queryset(Device.objects.order_by("id"), request, view=self)
        return paginator.get_paginated_response(DeviceSerializer(page, many=True).data)


class Sliced(DeviceLists):
    """A view that makes its pages where it filters rows, as in Label Studio."""

    def filter_queryset(self, queryset):
        number = self.request.query_params.get("page", 1)
        return Paginator(queryset, 110).page(number).object_list


class SlicedDecorated(Sliced):
    """The same, with a handler that is decorated."""

    @method_decorator(never_cache)
    def get(self, request, *args, **kwargs):
        return super().get(request, *args, **kwargs)


# -- rows that the view has read before it pages them ------------------------------------------------


class MarkedSerializer(DeviceSerializer):
    mark = serializers.SerializerMethodField()

    class Meta(DeviceSerializer.Meta):
        fields = (*DeviceSerializer.Meta.fields, "mark")

    def get_mark(self, device):
        return getattr(device, "mark", None)


class MarkedInPages(DeviceLists):
    """A view that sets something on its rows, as in django-helpdesk."""

    serializer_class = MarkedSerializer
    pagination_class = Pages

    def get_queryset(self):
        found = super().get_queryset()
        for device in found:
            device.mark = f"mark {device.pk}"
        return found


class MarkedAtOnce(MarkedInPages):
    pagination_class = None


class MarkedBySite(MarkedInPages):
    pagination_class = Calling


class MarkedInOrder(MarkedInPages):
    """REST framework reads the rows again here, in the order of the cursor."""

    pagination_class = type("Cursors", (CursorPagination,), {"page_size": 50, "ordering": "-id"})


# -- decorators of the URLconf -----------------------------------------------------------------------

RULES = {}  # names of users whom a view refuses, by view
CALLS = []  # names of the views that were called


def ruled(view):
    """Guard a view by a rule that is found by the view itself."""

    @wraps(view)
    def guarded(request, *args, **kwargs):
        if request.user.get_username() in RULES.get(view, ()):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


def limited(view):
    """Count calls by the name of the view, as limits of a rate do."""

    @wraps(view)
    def counted(request, *args, **kwargs):
        CALLS.append(f"{view.__module__}.{view.__qualname__}")
        return view(request, *args, **kwargs)

    return counted


ruled_view = ByLimit.as_view()


# -- caches ------------------------------------------------------------------------------------------


class Fifty(PageNumberPagination):
    page_size = 50


def kept(handler):
    """Keep what a handler answers, by URL and for all clients, as drf-extensions does."""

    @wraps(handler)
    def keeping(self, request, *args, **kwargs):
        key = f"kept:{request.get_full_path()}"
        if cache.get(key) is None:
            cache.set(key, dict(handler(self, request, *args, **kwargs).data))
        return Response(cache.get(key))

    return keeping


def kept_view(view):
    """Keep what a view answers, likewise."""

    @wraps(view)
    def keeping(request, *args, **kwargs):
        key = f"kept:{request.get_full_path()}"
        if cache.get(key) is None:
            response = view(request, *args, **kwargs)
            cache.set(key, response.data)
            return response
        return JsonResponse(cache.get(key))

    return keeping


class InFifties(DeviceLists):
    pagination_class = Fifty


class CachedHandler(DeviceLists):
    pagination_class = Fifty

    @kept
    def list(self, request, *args, **kwargs):
        return super().list(request, *args, **kwargs)


@method_decorator(cache_page(60), name="list")
class CachedList(DeviceLists):
    pagination_class = Fifty


@method_decorator(cache_page(60), name="dispatch")
class CachedDispatch(DeviceLists):
    pagination_class = Fifty


@mcp_heavy
class CachedHeavy(DeviceLists):
    pagination_class = Fifty
