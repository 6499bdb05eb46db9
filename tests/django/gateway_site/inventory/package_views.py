"""Views as third-party packages make them: generic views, and much that no router has named."""

import datetime as dt
from decimal import Decimal

from rest_framework.response import Response
from rest_framework.views import APIView


class Totals(APIView):
    """Values that no serializer has prepared."""

    def get(self, request):
        return Response(
            {"sum": Decimal("0.10"), "lasts": dt.timedelta(hours=1), "rows": [{"n": Decimal(2)}]}
        )
