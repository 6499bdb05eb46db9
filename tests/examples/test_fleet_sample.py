"""The fleet of the example is the same for everyone, and as large and as varied as it says."""

import hashlib
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "fleet"))

from devices import sample


@pytest.fixture(scope="module")
def fleet():
    return list(sample.devices(50_000, seed=7))


def digest(rows):
    return hashlib.sha256(repr(list(rows)).encode()).hexdigest()[:16]


def test_it_is_the_same_on_every_machine(fleet):
    assert digest(fleet) == "fec571e680766f23"
    assert digest(sample.sites(7)) == "b5fe2b16139e93dd"
    assert digest(sample.events(fleet, 7)) == "0b37429e21bde8b8"


def test_another_seed_makes_another_one():
    assert digest(sample.devices(100, 7)) == digest(sample.devices(100, 7))
    assert digest(sample.devices(100, 7)) != digest(sample.devices(100, 8))


def test_there_are_needles_in_it(fleet):
    recalled = [device for device in fleet if device["status"] == "recalled"]
    assert len(recalled) == 3
    assert {device["notes"] for device in recalled} == {sample.RECALL_NOTE}
    assert sum(device["notes"] == sample.RECALL_NOTE for device in fleet) == 3


@pytest.mark.parametrize("count", [3, 4, 2_000])
def test_a_small_fleet_has_them_too(count):
    rows = list(sample.devices(count, 7))
    assert len(rows) == count
    assert Counter(row["status"] for row in rows)["recalled"] == 3


@pytest.mark.parametrize("field", ["asset_tag", "uuid"])
def test_what_names_a_device_names_no_other(fleet, field):
    assert len({device[field] for device in fleet}) == 50_000


def test_addresses_name_one_device_in_service(fleet):
    addresses = [device["ip_address"] for device in fleet if device["status"] != "retired"]
    assert None not in addresses
    assert len(set(addresses)) == len(addresses)
    assert {d["ip_address"] for d in fleet if d["status"] == "retired"} == {None}


def test_sites_are_many_and_of_very_different_sizes(fleet):
    codes = {site["code"] for site in sample.sites(7)}
    sizes = Counter(device["site"] for device in fleet)
    assert len(codes) == 120
    assert set(sizes) == codes
    assert max(sizes.values()) > 20 * min(sizes.values())


def test_kinds_and_states_have_their_shares(fleet):
    kinds = Counter(device["kind"] for device in fleet)
    states = Counter(device["status"] for device in fleet)
    for kind, make in sample.MAKES.items():
        assert kinds[kind] == pytest.approx(500 * make.share, rel=0.06)
    for status, share in sample.STATUSES.items():
        assert states[status] == pytest.approx(5 * share, rel=0.1)


def test_nothing_happened_after_the_day_it_is_looked_at(fleet):
    for event in sample.events(fleet, 7):
        assert event["happened"] <= sample.TODAY
        assert event["happened"].tzinfo is not None
    assert max(d["last_seen"] for d in fleet if d["last_seen"]) <= sample.TODAY
    assert max(d["purchased"] for d in fleet) < sample.TODAY.date()
