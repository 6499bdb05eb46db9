"""A cancelled call, at any stage, is not answered and leaves nothing behind."""

import json

from call_stages import ROWS, STAGES, running, stored
from contract import carriers_at, carriers_for
from relay_processes import wait_until


@carriers_at("cancellation", *STAGES)
def test_a_cancelled_call_is_not_answered_and_leaves_nothing(rig, client, stage):
    with STAGES[stage](rig, client) as reached:
        client.cancel(reached.key)
        wait_until_heeded(client)
    wait_until(lambda: rig.store.keys() == reached.kept, "a store as it was")
    assert_next_call_goes_through_every_stage(client)
    client.close()
    assert client.answers(reached.key) == []
    assert len(rig.stage.heard("take")) == 1  # the next call; the cancelled one did not go up


def assert_next_call_goes_through_every_stage(client):
    reference = f"@result:{stored(client)}"
    assert json.loads(client.text(client.call("take", value=reference))) == {"size": ROWS}


def wait_until_heeded(client):
    """Wait until the carrier has seen the cancellation. The carrier takes messages in order, and
    notices a closed connection before later requests have been to upstream and back."""
    for _ in range(2):
        client.result(client.ping())


@carriers_for("cancellation told to upstream")
def test_upstream_is_told_in_its_own_way(rig, client):
    with running(rig, client) as reached:
        (asked,) = rig.stage.heard("wait")
        client.cancel(reached.key)
        wait_until(lambda: rig.stage.heard(way_of(rig.carrier)), "word of the cancellation")
    (told,) = rig.stage.heard(way_of(rig.carrier))
    assert told.message["params"]["requestId"] == asked.message["id"]


def way_of(carrier):
    """Return the cue that tells a server of a cancellation."""
    if carrier.upstream == "inside":
        return "cancelled"
    is_modern_http = (carrier.upstream, carrier.era) == ("http", "modern")
    return "hung up" if is_modern_http else "notifications/cancelled"
