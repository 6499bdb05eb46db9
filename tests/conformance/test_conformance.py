"""The relay and the middleware lose no check of the official suite that the server passes."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from node_runtime import node
from suite import SETS, Findings, RequirementSet, counts, examine, failing, passing
from targets import (
    direct,
    grouped_over_http,
    grouped_over_stdio,
    relayed_to_http,
    relayed_to_stdio,
    with_middleware,
)

TARGETS = {
    "direct": direct,
    "middleware": with_middleware,
    "relay to HTTP": relayed_to_http,
    "relay to stdio": relayed_to_stdio,
    "group of HTTP": grouped_over_http,
    "group of stdio": grouped_over_stdio,
}

# If upstream has no streams, the relay sends a reply of one message as JSON. The specification
# allows that. The suite would prefer several streams, and reports INFO.
AS_JSON = "server-sse-multiple-streams/server-sse-streams-functional/ServerSSEStreamsFunctional"
# A hub resumes upstream's broken streams itself, so no stream of the client's breaks: the suite then
# has nothing to look at.
RESUMED = [
    f"server-sse-polling/{check}"
    for check in (
        "server-sse-disconnect-resume/ServerDisconnectResume",
        "server-sse-priming-event/ServerSendsPrimingEvent",
        "server-sse-retry-field/ServerSendsRetryField",
    )
]
NOT_REACHED = "not reached"
ALLOWED = {
    "relay to stdio": {AS_JSON: "INFO"},
    "group of stdio": {AS_JSON: "INFO"},
    "group of HTTP": {AS_JSON: "INFO", **dict.fromkeys(RESUMED, NOT_REACHED)},
}


@pytest.mark.parametrize("requirements", SETS, ids=lambda requirements: requirements.name)
def test_nothing_is_lost(requirements, capsys):
    """Examine all targets at the same time: each has its own server."""
    node()
    targets = [name for name in TARGETS if requirements.over_stdio or "stdio" not in name]
    with ThreadPoolExecutor(len(targets)) as pool:
        runs = {name: pool.submit(examine_target, name, requirements) for name in targets}

    def findings_at(name: str) -> Findings:
        findings = runs[name].result()
        with capsys.disabled():
            # On stderr, because the output of a worker process of pytest goes nowhere.
            print(f"\n{requirements.name}, {name}: {counts(findings)}", file=sys.stderr)  # noqa: T201 (see above)
        return findings

    directly = findings_at("direct")
    assert not failing(directly), listed(failing(directly), directly)
    relays = [name for name in targets if name != "direct"]
    lost = [loss for name in relays for loss in losses(name, directly, findings_at(name))]
    assert not lost, "\n".join(lost)


def examine_target(name: str, requirements: RequirementSet) -> Findings:
    with TARGETS[name]() as url:
        return examine(url, requirements)


def losses(name: str, directly: Findings, through_it: Findings) -> list[str]:
    allowed = ALLOWED.get(name, {})
    told = {check for check in allowed if outcome(through_it, check) == allowed[check]}
    lost = passing(directly) - passing(through_it) - told
    return [f"{name}: {line}" for line in listed(lost, through_it)]


def outcome(found: Findings, check: str) -> str:
    return found[check].status if check in found else NOT_REACHED


def listed(checks: set[str], found: Findings) -> list[str]:
    return [f"{check}: {found.get(check, NOT_REACHED)}" for check in sorted(checks)]
