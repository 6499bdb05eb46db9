"""One for a process: a message of a client's goes in, and what it is answered with comes out.

The rules are a `wire.Session`'s, made for each request, with the site's `Server` as its upstream. What
a session learns of the tools is kept, and shared by all callers who may use the same ones.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from django.core.signals import setting_changed

from penstock._version import __version__
from penstock.django import registry
from penstock.django.callers import Caller
from penstock.django.conf import Site, open_site_store, site
from penstock.django.serving import CAPABILITIES, LIST_SECONDS, Server
from penstock.gate import Gate
from penstock.model import LiveWindow
from penstock.wire.disclosing import discloser_of
from penstock.wire.session import Session
from penstock.wire.state import Knowledge, Later, ToUpstream

_MOST_KNOWN: Final = 64
_MOST_CALLERS: Final = 10_000

Key = TypeVar("Key")
Value = TypeVar("Value")


class Gateway:
    """`site` and everything that is made from its settings."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.gate = Gate(site.policy, open_site_store(site))
        self._discloser = discloser_of(self.gate)
        self._known: OrderedDict[tuple[bool, bytes], Knowledge] = OrderedDict()
        self._seen: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, caller: Caller, line: bytes, *, is_modern: bool) -> bytes:
        """What a client gets; nothing for a notification."""
        session = self._session(caller, is_modern=is_modern)
        server = Server(caller, registry.tools(), session)
        outputs = session.from_client(line)
        while outputs:
            output = outputs.pop(0)
            if isinstance(output, Later):
                outputs += session.do(output)
            elif isinstance(output, ToUpstream):
                response = server.answer(output.message)
                outputs += session.from_upstream(response) if response else []
            else:
                return output.message
        return b""

    def caller(self, request: Any) -> Caller:
        return Caller(request, self.site, self.gate.policy)

    def close(self) -> None:
        self.gate.close()

    def _session(self, caller: Caller, *, is_modern: bool) -> Session:
        return Session(
            self.gate,
            self._discloser,
            principal=caller.principal,
            server=f"django:{self.site.server_name}",
            knowledge=self._knowledge(caller, is_modern=is_modern),
            is_inside=True,
            hooks={
                "authorize": partial(self._may_read, caller),
                "live_rows": partial(self._live_rows, caller),
            },
        )

    # -- what tokens lead to -------------------------------------------------------------------

    def _may_read(self, caller: Caller, name: str, origin: Any) -> bool:
        tool = registry.tools().get(name)
        return tool is not None and tool.is_exposed(caller) and tool.runs.may_read(caller, origin)

    def _live_rows(self, caller: Caller, reference: Any, start: int, stop: int) -> LiveWindow:
        tool = registry.tools()[reference["tool"]]
        return tool.runs.window(reference, start, stop, caller)

    # -- what is known -------------------------------------------------------------------------

    def _knowledge(self, caller: Caller, *, is_modern: bool) -> Knowledge:
        key = (is_modern, self._sight(caller))
        with self._lock:
            return _kept(self._known, key, _MOST_KNOWN, partial(self._newly_known, is_modern))

    def _sight(self, caller: Caller) -> bytes:
        """The tools that a caller may use, as a digest; as of a while ago, which is enough to know what
        he was shown. Whether he may use one now is found out when he calls it."""
        who = f"{caller.principal.id}/{caller.tier}"
        now = self.gate.clock()
        seen = self._seen.get(who)
        if seen is None or seen[0] < now:
            names = [tool.name for tool in registry.tools().values() if tool.may(caller)]
            seen = now + LIST_SECONDS, hashlib.sha256("\n".join(names).encode()).digest()
            with self._lock:
                self._seen[who] = seen
                while len(self._seen) > _MOST_CALLERS:
                    self._seen.popitem(last=False)
        return seen[1]

    def _newly_known(self, is_modern: bool) -> Knowledge:
        known = Knowledge()
        known.era = "modern" if is_modern else "legacy"
        known.capabilities = dict(CAPABILITIES)
        known.server_info = {"name": self.site.server_name, "version": __version__}
        known.is_initialized = True
        return known


def _kept(kept: OrderedDict[Key, Value], key: Key, most: int, make: Callable[[], Value]) -> Value:
    """The value of a key, made where there is none; what was not used for longest goes first."""
    found = kept.pop(key) if key in kept else make()
    kept[key] = found
    if len(kept) > most:
        kept.popitem(last=False)
    return found


_lock = threading.Lock()
_gateway: Gateway | None = None


def gateway() -> Gateway:
    """The one of this process, made when it is first asked for."""
    global _gateway  # noqa: PLW0603 (one site a process)
    with _lock:
        if _gateway is None:
            _gateway = Gateway(site())
        return _gateway


def forget(**_: Any) -> None:
    """Settings have changed, which happens in tests alone."""
    global _gateway  # noqa: PLW0603 (as above)
    with _lock:
        if _gateway is not None:
            _gateway.close()
        _gateway = None


setting_changed.connect(forget, dispatch_uid="penstock.gateway")
