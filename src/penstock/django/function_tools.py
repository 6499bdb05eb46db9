"""Functions that are tools: `@mcp_tool` and `@mcp_heavy` with a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework.settings import api_settings
from rest_framework.views import APIView

from penstock.core.model.values import LiveWindow
from penstock.django.callers import REFUSALS, Caller
from penstock.django.decorators import Declared
from penstock.django.requests import in_transaction
from penstock.django.tool_results import result_of
from penstock.django.tools import SiteTool
from penstock.log import logger
from penstock.wire.request import InsideResult


class _Guard(APIView):
    """What permission classes are shown as the view: they may look at it, and find nothing."""

    _ignore_model_permissions = True  # REST framework's way of saying that there is no model here


@dataclass(frozen=True)
class FunctionTool:
    """A function, and who may have it called."""

    declared: Declared

    def ask(self, caller: Caller) -> None:
        self._guard(caller).check_permissions(caller.request)

    def may_read(self, caller: Caller, origin: Any) -> bool:
        del origin  # what it gave depends on the caller alone
        try:
            self.ask(caller)
        except Exception as fault:  # noqa: BLE001 (whatever it is, it does not permit)
            if not isinstance(fault, REFUSALS):
                logger().warning("%s: may it still be read?", self.declared.name, exc_info=True)
            return False
        return True

    def run(self, arguments: Mapping[str, Any], caller: Caller) -> InsideResult:
        guard = self._guard(caller)
        guard.check_permissions(caller.request)
        guard.check_throttles(caller.request)
        request = caller.http
        request.user = caller.request.user
        call = in_transaction(self.declared.function)
        return InsideResult(result_of(call(dict(arguments), request)))

    def _guard(self, caller: Caller) -> APIView:
        given = self.declared.permission_classes
        classes = api_settings.DEFAULT_PERMISSION_CLASSES if given is None else given
        guard = _Guard(permission_classes=list(classes))
        guard.request, guard.args, guard.kwargs = caller.request, (), {}
        return guard

    def window(self, reference: Any, start: int, stop: int, caller: Caller) -> LiveWindow:
        del reference, start, stop, caller
        raise LookupError("A function gives no live rows.")


def function_tool(declared: Declared, modes: tuple[str, ...]) -> SiteTool:
    schema = dict(declared.input_schema)
    schema.setdefault("type", "object")
    return SiteTool(
        declared.name,
        declared.description,
        schema,
        declared.tier,
        FunctionTool(declared),
        declared.heavy,
        modes=modes,
        is_destructive=True,  # what it does is not known; annotations of reading tools say nothing
        where=f"{declared.function.__module__}.{declared.function.__qualname__}",
    )
