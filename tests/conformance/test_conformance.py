"""The relay and the middleware lose no check of the official suite that the server passes."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from node_runtime import node
from suite import SETS, Findings, RequirementSet, counts, examine, failing, passing
from targets import direct, relayed_to_http, relayed_to_stdio, with_middleware

TARGETS = {
    "direct": direct,
    "middleware": with_middleware,
    "relay to HTTP": relayed_to_http,
    "relay to stdio": relayed_to_stdio,
}

# If upstream has no streams, the relay sends a reply of one message as JSON. The specification
# allows that. The suite would prefer several streams, and reports INFO.
AS_JSON = "server-sse-multiple-streams/server-sse-streams-functional/ServerSSEStreamsFunctional"
ALLOWED = {"relay to stdio": {AS_JSON: "INFO"}}


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
    told = {check for check in allowed if through_it[check].status == allowed[check]}
    lost = passing(directly) - passing(through_it) - told
    return [f"{name}: {line}" for line in listed(lost, through_it)]


def listed(checks: set[str], found: Findings) -> list[str]:
    return [f"{check}: {found.get(check, 'not reached')}" for check in sorted(checks)]
