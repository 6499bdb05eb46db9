"""The tools of programs in tests, and what they answer."""

from penstock.core.model.program import Scope, Settled

MEMORY = 64_000_000
SECONDS, FEW_SECONDS = 60.0, 1.0  # few for programs that must run out of time
SCOPE = Scope(
    frozenset({"echo", "fails"}),
    frozenset({"delete"}),
    ("async def echo(text: str, times: int = ...) -> Any: ...",),
)


def answered(call):
    """Return the outcome of a call of the tools in `SCOPE`."""
    if call.function == "fails":
        return Settled(call.number, error="it failed")
    return Settled(call.number, value=call.kwargs or list(call.args))
