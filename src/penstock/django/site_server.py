"""The MCP server of a site, as it would be without Penstock's rules.

Its answers go through a `wire.Session`, which holds results and lists to their budgets. The session
gets a tool's result as a value. So nothing here knows of tokens or of listing forms.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404
from rest_framework.exceptions import APIException, NotAuthenticated
from rest_framework.serializers import as_serializer_error

from penstock._version import __version__
from penstock.core.json.encoding import encode
from penstock.core.model.values import Result
from penstock.django.callers import Caller
from penstock.django.tool_results import failure
from penstock.django.tools import SiteTool
from penstock.errors import InvalidResult
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.messages import INVALID_PARAMS, METHOD_NOT_FOUND, Message
from penstock.wire.request import InsideResult

CAPABILITIES: Final[Mapping[str, Any]] = {"tools": {"listChanged": False}}
LIST_SECONDS: Final = 60
_SERVER_ERROR: Final = 500
_SHOWN: Final = 100
# Stands in the message for a result that the session got as a value.
_TOLD: Final = b'{"content":[]}'


Tell = Callable[[bytes, InsideResult], None]


@dataclass(frozen=True)
class VisibleTools:
    """The tools that a caller is shown, and a digest of their names."""

    tools: Sequence[SiteTool]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.tools)

    @cached_property
    def digest(self) -> bytes:
        return hashlib.sha256("\n".join(tool.name for tool in self.tools).encode()).digest()


class Fault(Exception):
    """A request that is answered with a JSON-RPC error."""

    def __init__(self, code: int, told: str) -> None:
        super().__init__(told)
        self.error = messages.error(code, told)


class SiteServer:
    """The server for one caller. `tools` are the site's, `visible` those that the caller is shown,
    and `tell` takes a tool's result."""

    def __init__(
        self,
        caller: Caller,
        tools: Mapping[str, SiteTool],
        visible: VisibleTools,
        tell: Tell,
        *,
        is_batch: bool,
    ) -> None:
        self._caller = caller
        self._tools = tools
        self._visible = visible
        self._tell = tell
        self._is_batch = is_batch

    def answer(self, line: bytes) -> bytes:
        """Return the answer to a message or a batch of messages; empty for a notification."""
        batch = messages.batch_of(line)
        if batch is not None:
            answers = [self._answer(messages.read_message(one)) for one in batch]
            return b"[" + b",".join(filter(None, answers)) + b"]" if any(answers) else b""
        return self._answer(messages.read_message(line))

    def _answer(self, message: Message) -> bytes:
        if not message.is_request:
            return b""
        is_modern = eras.is_modern(message.params)
        fault = eras.envelope_fault(eras.meta_of(message.params)) if is_modern else None
        if fault is not None:
            return messages.error_response(message.key, fault)
        try:
            result = _method(str(message.method))(self, message, is_modern)
        except Fault as fault_:
            return messages.error_response(message.key, fault_.error)
        return messages.response(message.key, result)

    # -- greetings -----------------------------------------------------------------------------

    def initialize(self, message: Message, _is_modern: bool) -> bytes:
        asked = messages.text_of(messages.members_of(message.params), "protocolVersion")
        version = asked if asked in eras.LEGACY_VERSIONS else eras.LEGACY_VERSIONS[0]
        return encode(
            {
                "protocolVersion": version,
                "capabilities": CAPABILITIES,
                "serverInfo": self.info,
                **self._instructions(),
            }
        )

    def discover(self, _message: Message, _is_modern: bool) -> bytes:
        return encode(
            {
                **eras.COMPLETE,
                "supportedVersions": [*eras.MODERN_VERSIONS],
                "capabilities": CAPABILITIES,
                **self._instructions(),
                **self._cacheable(),
            }
        )

    def ping(self, _message: Message, _is_modern: bool) -> bytes:
        return b"{}"

    @property
    def info(self) -> dict[str, str]:
        return {"name": self._caller.site.server_name, "version": __version__}

    def _instructions(self) -> dict[str, str]:
        said = self._caller.site.instructions
        return {"instructions": said} if said else {}

    def _cacheable(self) -> dict[str, Any]:
        """Return the cache hints of a list, which is for this caller only."""
        return {
            "ttlMs": LIST_SECONDS * 1_000,
            "cacheScope": "private",
            "_meta": {eras.SERVER_META: self.info},
        }

    # -- tools ---------------------------------------------------------------------------------

    def list_tools(self, _message: Message, is_modern: bool) -> bytes:
        listed = b"[" + b",".join(tool.listed for tool in self._visible.tools) + b"]"
        members: dict[str, Any] = {"tools": msgspec.Raw(listed)}
        if is_modern:
            members |= {**eras.COMPLETE, **self._cacheable()}
        return encode(members)

    def call_tool(self, message: Message, _is_modern: bool) -> bytes:
        params = messages.members_of(message.params)
        name, given = messages.text_of(params, "name"), messages.decoded(params.get("arguments"))
        if name is None:
            raise Fault(INVALID_PARAMS, "params.name must be the name of a tool.")
        arguments = {} if given is None else given
        if not isinstance(arguments, dict):
            raise Fault(INVALID_PARAMS, "arguments must be an object.")
        self._tell(message.key, self._run(self._tool(name), arguments))
        return _TOLD

    def _tool(self, name: str) -> SiteTool:
        """Return a tool that the caller may use. A forbidden tool and a missing one get the same
        answer. An anonymous caller is asked to authenticate by the HTTP status, of which a batch
        has only one."""
        tool = self._tools.get(name)
        if tool is not None and tool.may(self._caller):
            return tool
        if self._caller.is_anonymous and not self._is_batch:
            raise NotAuthenticated
        raise Fault(INVALID_PARAMS, f"Unknown tool: {name[:_SHOWN]}. See tools/list.")

    def _run(self, tool: SiteTool, arguments: dict[str, Any]) -> InsideResult:
        wrong = tool.fault(arguments)
        if wrong:
            step = f"Correct the arguments and call {tool.name} again."
            return InsideResult(_error({"error": wrong, "next_step": step}))
        try:
            return tool.runs.run(arguments, self._caller)
        except APIException as refused:
            return InsideResult(failure(refused.status_code, refused.detail))
        except (Http404, PermissionDenied, ValidationError) as refused:
            return InsideResult(_refusal(refused))
        except InvalidResult as unfit:
            return InsideResult(_error({"error": unfit.message, "next_step": unfit.next_step}))
        except Exception:  # noqa: BLE001 (the agent gets an answer, whatever a view raises)
            logger().exception("the tool %s failed", tool.name)
            return InsideResult(failure(_SERVER_ERROR, {"detail": f"{tool.name} failed."}))


def _refusal(refused: Exception) -> Result:
    if isinstance(refused, ValidationError):
        return failure(400, as_serializer_error(refused))
    status = 404 if isinstance(refused, Http404) else 403
    said = str(refused)
    return failure(status, {"detail": said} if said else None)


def _error(said: Mapping[str, Any]) -> Result:
    return Result(content=({"type": "text", "text": encode(said).decode()},), is_error=True)


Method = Callable[[SiteServer, Message, bool], bytes]
_METHODS: Final[Mapping[str, Method]] = {
    "initialize": SiteServer.initialize,
    "server/discover": SiteServer.discover,
    "ping": SiteServer.ping,
    "tools/list": SiteServer.list_tools,
    "tools/call": SiteServer.call_tool,
}


def _method(name: str) -> Method:
    found = _METHODS.get(name)
    if found is None:
        raise Fault(METHOD_NOT_FOUND, f"There is no method {name[:_SHOWN]}.")
    return found
