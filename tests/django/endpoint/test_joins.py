"""Lists of two views are joined, as long as the caller may read both."""

import pytest
from agents import Agent
from shown_rows import shown_rows

REFUSED = "Continuation token expired or not found."
JOIN = "SELECT count(*) AS n FROM result d JOIN staff s ON s.id = d.id"


@pytest.fixture
def staff(root, plant, settings, era):
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTO_NEGOTIATE_THRESHOLD": 2_000, "BUDGET": "2kB"}
    return Agent.of(root, era)


def lists(agent):
    """Return tokens of a list that all users may read, and of one that only staff may."""
    names = ("inventory_device_list", "inventory_staff_list")
    return [agent.value(name)["continuation_token"] for name in names]


def join(token, other):
    return {"continuation_token": token, "mode": "sql", "query": JOIN, "tables": {"staff": other}}


def test_two_live_lists(staff, plant):
    devices, others = lists(staff)
    answer = staff.value("read_result", **join(devices, others))
    assert shown_rows(answer) == [{"n": len(plant)}]


def test_a_list_that_may_be_read_no_more_and_its_answer(staff, root):
    devices, others = lists(staff)
    answer = staff.value("read_result", **join(devices, others))["continuation_token"]
    assert staff.value("read_result", continuation_token=answer)["items"]
    root.is_staff = False
    root.save()
    told = staff.error("read_result", **join(devices, others))
    assert told["error"].startswith(f"Table 'staff': {REFUSED}")
    unknown = staff.error("read_result", **join(devices, "pen_unknown"))
    assert told == unknown
    told = staff.error("read_result", continuation_token=answer)
    assert told["error"].startswith(REFUSED)
    assert staff.value("read_result", **join(devices, devices))["total"] == 1


def test_anothers_list(staff, ada, era):
    devices, others = lists(staff)
    own = Agent.of(ada, era).value("inventory_device_list")["continuation_token"]
    told = Agent.of(ada, era).error("read_result", **join(own, others))
    assert told["error"].startswith(f"Table 'staff': {REFUSED}")
    assert told == Agent.of(ada, era).error("read_result", **join(own, devices))
