"""The gateway of a process, which takes a client's message and returns the answer.

Each request gets a `wire.Session`, with the site's `SiteServer` as its upstream. The gateway keeps
what a session learns about the tools, and shares it among all callers who may use the same tools.
"""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, assert_never

from django.conf import settings
from django.core.signals import setting_changed
from msgspec import UNSET

from penstock._version import __version__
from penstock.core.model.recent import Recent
from penstock.core.model.values import LiveWindow, Principal
from penstock.disclosure.names import CALL, CALL_READ_ONLY, is_called
from penstock.django import registry
from penstock.django.callers import Caller
from penstock.django.conf import Site, open_site_store, site
from penstock.django.site_server import CAPABILITIES, LIST_SECONDS, SiteServer, VisibleTools
from penstock.django.tiers import Tier
from penstock.engine.engine import Engine
from penstock.figures.keeping import tally_of
from penstock.gate.gate import Gate
from penstock.wire import messages
from penstock.wire.outputs import Perform, Ring, ToClient, ToUpstream
from penstock.wire.reader import reader_name
from penstock.wire.request import Connection
from penstock.wire.session import Session
from penstock.wire.upstream_state import UpstreamState

_MOST_KNOWN: Final = 64
_MOST_CALLERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Seen:
    """The tools that a caller was shown, and until when that is taken for true."""

    visible: VisibleTools
    rights: str
    until: float


class Gateway:
    """A site, and everything that is made from its settings."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.gate = Gate(site.policy, open_site_store(site))
        self._engine = Engine(self.gate, tally_of(site.policy, lambda: site.server_name))
        self._known: Recent[tuple[bool, bytes], UpstreamState] = Recent(_MOST_KNOWN)
        self._shown: Recent[bytes, VisibleTools] = Recent(_MOST_KNOWN)
        self._seen: Recent[tuple[Principal, Tier | None, bytes], _Seen] = Recent(_MOST_CALLERS)
        # Tells sites apart that share a store and have users with the same keys.
        secret = hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()
        self._server = f"django:{site.server_name}:{secret[:16]}"

    def answer(self, caller: Caller, line: bytes, *, is_modern: bool) -> bytes:
        """Return the answer to a client's message; empty for a notification."""
        caller.is_batch = is_batch = messages.batch_of(line) is not None
        visible = self._visible_tools(caller, line)
        session = self._session(caller, visible, is_modern=is_modern)
        server = SiteServer(caller, registry.tools(), visible, session.tell, is_batch=is_batch)
        outputs = session.from_client(line)
        alarms: list[tuple[float, Ring]] = []  # of programs, and when they ring
        while outputs:
            while alarms and time.monotonic() > alarms[0][0]:
                outputs = [*session.rang(alarms.pop(0)[1].request), *outputs]
            output = outputs.pop(0)
            match output:
                case ToClient():
                    return output.message
                case Ring():
                    alarms.append((time.monotonic() + output.seconds, output))
                case ToUpstream():
                    response = server.answer(output.message)
                    registry.found().findings.save()
                    outputs += session.from_upstream(response) if response else []
                case Perform():
                    caller.counts.clear()  # throttles count each call of a batch
                    outputs += self._engine.carry_out(session, output)
                case _:
                    assert_never(output)
        return b""

    def caller(self, request: Any) -> Caller:
        return Caller(request, self.site, self.gate)

    def close(self) -> None:
        self._engine.close()
        self.gate.close()

    def _session(self, caller: Caller, visible: VisibleTools, *, is_modern: bool) -> Session:
        return Session(
            Connection(
                self.gate,
                principal=caller.principal,
                server=self._server,
                peer=caller.http.META.get("REMOTE_ADDR", ""),
                known=self._knowledge(visible, is_modern=is_modern),
                is_inside=True,
                tally=self._engine.tally,
                hooks={
                    "authorize": partial(self._may_read, caller),
                    "live_rows": partial(self._live_rows, caller),
                },
            )
        )

    # -- hooks for reading stored results ------------------------------------------------------

    def _may_read(self, caller: Caller, name: str, origin: Any) -> bool:
        tool = registry.tools().get(name)
        return tool is not None and tool.is_exposed(caller) and tool.runs.may_read(caller, origin)

    def _live_rows(self, caller: Caller, reference: Any, start: int, stop: int) -> LiveWindow:
        tool = registry.tools()[reference["tool"]]
        return tool.runs.window(reference, start, stop, caller)

    # -- what is known about the tools ---------------------------------------------------------

    def _knowledge(self, visible: VisibleTools, *, is_modern: bool) -> UpstreamState:
        """Return what is known of exactly these tools. Callers who see others share another."""
        key = (is_modern, visible.digest)
        return self._known.get_or_make(key, partial(self._newly_known, is_modern))

    def _visible_tools(self, caller: Caller, line: bytes) -> VisibleTools:
        """Return the tools that a caller may use, as found up to `LIST_SECONDS` ago, because asking
        every view takes long. A new set is found if the caller's rights in Django or credentials
        have changed. A call of a known tool, or of the reader, takes a set of any age, because it
        asks the view."""
        who = (caller.principal, caller.tier, caller.credentials)
        seen, now = self._seen.get(who), self.gate.clock()
        if seen is not None:
            called, names = _called_tool(line), seen.visible.names
            if called in names or called == reader_name(names):
                return seen.visible
            if now <= seen.until and caller.rights == seen.rights:
                return seen.visible
        found = registry.tools().values()
        visible = VisibleTools([tool for tool in found if tool.may(caller)])
        # Callers who are shown the same tools share one set: on a large site, it is 100 kB.
        visible = self._shown.get_or_make(visible.digest, lambda: visible)
        self._seen.put(who, _Seen(visible, caller.rights, now + LIST_SECONDS))
        return visible

    def _newly_known(self, is_modern: bool) -> UpstreamState:
        known = UpstreamState()
        known.era = "modern" if is_modern else "legacy"
        known.capabilities = dict(CAPABILITIES)
        known.server_info = {"name": self.site.server_name, "version": __version__}
        known.is_initialized = True
        return known


def _called_tool(line: bytes) -> str:
    """Return the tool of the site that a message calls, directly or through `call_tool`."""
    message = messages.message_or_none(line)
    if message is None or message.method != "tools/call":
        return ""
    params = messages.members_of(message.params)
    name = messages.text_of(params, "name") or ""
    if any(is_called(name, role) for role in (CALL, CALL_READ_ONLY)):
        return messages.text_of(messages.members_of(params.get("arguments", UNSET)), "name") or ""
    return name


_lock = threading.Lock()
_gateway: Gateway | None = None


def gateway() -> Gateway:
    """Return the gateway of this process. The first call makes it."""
    global _gateway  # noqa: PLW0603 (one site a process)
    with _lock:
        if _gateway is None:
            _gateway = Gateway(site())
        return _gateway


def forget(**_: Any) -> None:
    """Close the gateway, because settings have changed. They change in tests only."""
    global _gateway  # noqa: PLW0603 (as above)
    with _lock:
        if _gateway is not None:
            _gateway.close()
        _gateway = None


setting_changed.connect(forget, dispatch_uid="penstock.gateway")
