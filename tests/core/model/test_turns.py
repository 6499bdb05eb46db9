"""The order in which parties get places."""

from penstock.core.model.turns import Party, Places, Turns

ANN, BOB, EVE = (Party(name, peer) for name, peer in (("ann", "1"), ("bob", "2"), ("eve", "3")))


def turns(count=2, of_party=None, of_peer=None):
    return Turns(Places(count, of_party or count, of_peer or count))


def fill(made, party, count):
    for number in range(count):
        made.add(party, f"{party.name}{number}")


def taken(made):
    """Return the jobs that get places now."""
    return list(iter(made.take, None))


def served(made, rounds):
    """Return the jobs in the order in which they get a place, when each ends before the next."""
    order = []
    parties = {party.name: party for party in (ANN, BOB, EVE)}
    for _ in range(rounds):
        job = made.take()
        order.append(job)
        made.release(parties[job.rstrip("0123456789")])
    return order


def test_one_party_gets_all_places_in_its_order():
    made = turns(3)
    fill(made, EVE, 5)
    assert taken(made) == ["eve0", "eve1", "eve2"]
    made.release(EVE)
    assert taken(made) == ["eve3"]


def test_parties_are_served_in_turn():
    made = turns(1)
    fill(made, EVE, 100)
    fill(made, ANN, 2)
    fill(made, BOB, 1)
    assert served(made, 6) == ["eve0", "ann0", "bob0", "eve1", "ann1", "eve2"]


def test_the_next_place_is_for_the_party_that_holds_the_fewest():
    made = turns(2)
    fill(made, EVE, 10)
    assert taken(made) == ["eve0", "eve1"]
    fill(made, ANN, 10)
    made.release(EVE)
    assert taken(made) == ["ann0"]
    made.release(ANN)  # Eve holds the other place, so Ann is next again.
    assert taken(made) == ["ann1"]


def test_no_party_holds_more_than_its_share():
    made = turns(4, of_party=3)
    fill(made, EVE, 10)
    assert taken(made) == ["eve0", "eve1", "eve2"]
    fill(made, ANN, 1)
    assert taken(made) == ["ann0"]


def test_a_peer_with_many_sessions_has_one_peers_turns():
    made = turns(2, of_peer=1)
    sessions = [Party(f"session:{number}", "3") for number in range(50)]
    for session in sessions:
        fill(made, session, 1)
    fill(made, ANN, 2)
    assert taken(made) == ["session:00", "ann0"]
    made.release(sessions[0])
    assert taken(made) == ["session:10"]
    made.release(ANN)
    assert taken(made) == ["ann1"]


def test_parties_of_one_peer_share_its_turns():
    made = turns(2)
    one, other = Party("one", "3"), Party("other", "3")
    fill(made, one, 10)
    fill(made, other, 10)
    assert taken(made) == ["one0", "other0"]
    made.release(one)
    assert taken(made) == ["one1"]


def test_a_job_can_leave_while_it_waits():
    made = turns(1)
    fill(made, EVE, 3)
    assert taken(made) == ["eve0"]
    assert made.remove(EVE, "eve1")
    assert not made.remove(EVE, "eve1")
    assert not made.remove(ANN, "eve2")
    assert made.waiting(EVE) == 1
    assert list(made) == ["eve2"]
    made.release(EVE)
    assert taken(made) == ["eve2"]
    assert made.waiting(EVE) == made.waiting(ANN) == 0


def test_nothing_is_kept_of_parties_that_are_gone():
    made = turns(2)
    for number in range(100):
        party = Party(f"session:{number}", f"{number}")
        made.add(party, "job")
        assert made.take() == "job"
        made.release(party)
    assert not made._held
    assert not made._held_by_peer
    assert not made._waiting
