"""The engine: the one place that does the work of handlers.

A handler yields a piece of work, a session passes it on (`Perform`), and a carrier picks a thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard, assert_never

from penstock.core.model.cancellation import Cancelled
from penstock.disclosure.discloser import Discloser
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.wire.answered import AnswerTally
from penstock.wire.effects import (
    Browse,
    Describe,
    Disclose,
    EndProgram,
    Find,
    GateWork,
    Judge,
    Keep,
    KeepBytes,
    LoadExplorer,
    Offer,
    ParkProgram,
    Prepare,
    Read,
    ReadResource,
    ResumeProgram,
    Show,
    StartProgram,
    StepAside,
    UnparkProgram,
    Unwrap,
    Work,
)
from penstock.wire.kinds_of_work import KINDS, Kind, kind_of
from penstock.wire.outputs import Output, Outputs, Perform
from penstock.wire.request import Request
from penstock.wire.session import Session
from penstock.wire.shared_toolboxes import SharedToolboxes
from penstock.wire.sources import may_be_read

if TYPE_CHECKING:
    from penstock.engine.programs import Programs


class Engine:
    """A gate, the descriptions of the tools behind it, and the tally of answers, if there is one.
    All sessions of a server share one engine."""

    def __init__(
        self,
        gate: Gate,
        tally: AnswerTally | None = None,
        called: Callable[[], frozenset[str]] = frozenset,  # the tools that were called before
        *,
        mark: str = "",  # the begin of what only this process can take back, see `team/team.py`
    ) -> None:
        self.gate = gate
        self.tally = tally
        self.toolboxes = SharedToolboxes()
        self._discloser = Discloser(
            gate.policy, gate.meter, gate.store, clock=gate.clock, called=called
        )
        self._mark = mark
        self._programs_made: Programs | None = None
        self._starting = threading.Lock()

    def carry_out(
        self, session: Session, output: Perform, kinds: Container[Kind] = KINDS
    ) -> Outputs:
        """Do the work and advance the request. Repeat this while the request needs more work of
        these kinds.

        This may take seconds. Call it on a thread that reads neither from a client nor upstream.
        """
        outputs = self._go_on(session, output)
        while len(outputs) == 1 and _is_of(outputs[0], kinds):
            outputs = self._go_on(session, outputs[0])
        return outputs

    def _go_on(self, session: Session, output: Perform) -> Outputs:
        """Do one piece of work, and advance the request that needs it."""
        if output.request.cancellation.requested:
            return session.drop(output.request)
        try:
            given = self._do(output.request, output.work)
        except Cancelled:
            return session.drop(output.request)
        except Exception:  # noqa: BLE001 (the client gets an error for any failure)
            logger().exception("the work for a request failed")
            return session.give_up(output.request)
        return session.go_on(output.request, given)

    def _do(self, request: Request, work: Work) -> Any:
        match work:
            case Disclose():
                return self._disclose(work)
            case Find() | Describe() | Unwrap() | Judge():
                from penstock.engine.enquiries import answer_enquiry

                return answer_enquiry(work, self._discloser, self.gate)
            case StartProgram() | ResumeProgram() | EndProgram() | ParkProgram() | UnparkProgram():
                from penstock.engine.programs import carry_out

                hooks = self._hooks(request)
                return carry_out(self._programs(), work, hooks, request.lateness)
            case LoadExplorer():
                from penstock.explorer import page

                return page.content()
            case StepAside():
                return None
            case _:
                return self._at_gate(request, work)

    def _at_gate(self, request: Request, work: GateWork) -> Any:
        gate, hooks = self.gate, self._hooks(request)
        match work:
            case Prepare():
                return gate.prepare(work.call, **hooks)
            case Offer():
                return gate.offer(work.call, work.result, notice=work.notice, **hooks)
            case Keep():
                return gate.keep(work.call, work.result, **hooks)
            case KeepBytes():
                return gate.keep_bytes(work.call, work.data, **hooks)
            case Read():
                return gate.read(work.call, **hooks)
            case Show():
                return gate.show(work.call, **hooks)
            case Browse():
                return gate.browse(work.call, **hooks)
            case ReadResource():
                return gate.read_resource(work.call, work.uri, **hooks)
            case _:
                assert_never(work)

    def _hooks(self, request: Request) -> dict[str, Any]:
        connection = request.connection
        own: dict[str, Any] = {
            "cancellation": request.cancellation,
            "party": connection.party_at_peer,
        }
        if connection.servers is not None:
            own["authorize"] = partial(may_be_read, connection.servers, request)
        return {**connection.hooks, **own}

    def _programs(self) -> Programs:
        from penstock.engine.programs import Programs

        with self._starting:
            if self._programs_made is None:
                self._programs_made = Programs(self.gate, self._mark)
            return self._programs_made

    def close(self) -> None:
        """End the programs' sandbox, if there is one. The gate is closed by its owner."""
        if self._programs_made is not None:
            self._programs_made.close()

    def _disclose(self, work: Disclose) -> Any:
        catalogue = self._discloser.catalogue(work.tools, work.audience)
        listing = self._discloser.listing(
            catalogue,
            work.ours,
            work.audience,
            work.around,
            for_apps=work.for_apps,
            about=work.about,
            is_shortened=work.is_shortened,
            programs=work.programs,
        )
        return catalogue, listing


def _is_of(output: Output, kinds: Container[Kind]) -> TypeGuard[Perform]:
    return isinstance(output, Perform) and kind_of(output.work) in kinds
