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
from penstock.django.tools import GivenTexts, SiteTool
from penstock.log import logger
from penstock.wire.request import InsideResult


class _Guard(APIView):
    """An empty view for permission classes to look at."""

    _ignore_model_permissions = True  # tells REST framework that this view has no model


@dataclass(frozen=True)
class FunctionTool:
    """A function that does the work of a tool, with its permissions."""

    declared: Declared

    def ask(self, caller: Caller) -> None:
        self._guard(caller).check_permissions(caller.request)

    def may_read(self, caller: Caller, origin: Any) -> bool:
        del origin  # the permission depends on the caller alone
        try:
            self.ask(caller)
        except Exception as fault:  # noqa: BLE001 (a permission that fails does not permit)
            if not isinstance(fault, REFUSALS):
                logger().warning("%s: its permissions failed", self.declared.name, exc_info=True)
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
        GivenTexts(declared.description, schema),
        declared.tier,
        FunctionTool(declared),
        declared.heavy,
        modes=modes,
        is_destructive=True,  # to be safe; the annotations of a reading tool leave it out
        where=f"{declared.function.__module__}.{declared.function.__qualname__}",
    )
