"""Slow work for one request delays no other, of the same client or of another."""

from call_stages import ROWS, probe, reading, storing
from contract import carriers_for


@carriers_for("slow effects")
def test_a_store_that_hangs_and_a_busy_worker_delay_nobody_else(rig, client):
    with reading(rig, client) as question:
        with storing(rig, client) as result:
            assert_all_are_answered(rig, client)
            assert client.answers(question.key) == client.answers(result.key) == []
        assert probe(client, result.key)["count"] == ROWS
        rig.kill_workers()
    assert client.result(question.key)["isError"]


def assert_all_are_answered(rig, client):
    others = [rig.client()] if rig.carrier.door == "http" else []
    for one in (client, *others):
        ping, small = one.ping(), one.call("small", text="quick")
        assert "result" in one.answer(ping)
        assert one.text(small) == "quick"
