"""Programs over the views of a site: each call has the permissions of its view, and so has the answer."""

import pytest
from agents import Agent

REFUSED = "Continuation token expired or not found."
ALL_DEVICES = "devices = await inventory_device_list()\nlen(devices)"
BOTH = """
staff = await inventory_staff_list()
[*await inventory_device_list(), *staff]
"""


@pytest.fixture(autouse=True)
def _programs(settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "PROGRAMS": "on", "BUDGET": "2kB"}


@pytest.fixture
def staff(root, plant, era):
    return Agent.of(root, era)


def run(agent, code):
    return agent.value("run_python", code=code)


def failure(agent, code):
    return agent.error("run_python", code=code)


def test_a_list_is_whole_and_only_the_answer_comes_back(agent, plant):
    assert run(agent, ALL_DEVICES) == len(plant)
    assert run(agent, "sorted({d['kind'] for d in devices})") == sorted({d.kind for d in plant})
    assert run(agent, "sql('SELECT sum(price) AS p FROM d', d=devices)") == [
        {"p": sum(device.price for device in plant)}
    ]


def test_a_list_with_a_filter_and_one_record(agent, plant):
    code = "rows = await inventory_device_list(kind='pump')\n"
    code += "one = await inventory_device_retrieve(pk=rows[0]['id'])\n[len(rows), one['kind']]"
    pumps = [device for device in plant if device.kind == "pump"]
    assert run(agent, code) == [len(pumps), "pump"]


def test_a_view_that_the_caller_may_not_use_is_refused_in_a_program_too(agent):
    """A tool that the caller is not shown does not exist for its programs, by any name."""
    told = failure(agent, "await inventory_staff_list()")
    assert "inventory_staff_list" in told["error"]
    told = failure(agent, "await call('inventory_staff_list', {})")
    assert "there is no tool 'inventory_staff_list'" in told["error"]


def test_a_write_is_refused_before_anything_runs(staff):
    told = failure(staff, "await inventory_device_list()\nawait inventory_device_destroy(pk=1)")
    assert told["error"].startswith("inventory_device_destroy may write")
    assert "called" not in told


def test_the_answer_may_be_read_as_long_as_all_its_views_may(staff, root):
    probe = run(staff, BOTH)
    token = probe["continuation_token"]
    assert staff.value("read_result", continuation_token=token)["items"]
    root.is_staff = False
    root.save()
    told = staff.error("read_result", continuation_token=token)
    assert told["error"].startswith(REFUSED)
    assert failure(staff, f"value('{token}')")["error"].startswith(f"ValueError: {REFUSED}")


def test_what_was_stored_or_asked_in_sql_comes_from_the_same_views(staff, root):
    code = f"{BOTH}\ntoken = store(staff)\n[token, store(sql('SELECT * FROM s', s=token))]"  # noqa: S608 (the agent's words)
    tokens = run(staff, code)
    root.is_staff = False
    root.save()
    for token in tokens:
        told = staff.error("read_result", continuation_token=token)
        assert told["error"].startswith(REFUSED)


def test_variables_end_with_the_permission_to_read_them(staff, root):
    assert run(staff, "staff = await inventory_staff_list()\nlen(staff)") > 0
    assert run(staff, "len(staff)") > 0
    root.is_staff = False
    root.save()
    told = failure(staff, "len(staff)")
    assert told["error"] == "NameError: name 'staff' is not defined"
    assert any("gone" in notice for notice in told["notices"])


def test_variables_and_tokens_are_the_callers_own(agent, bob, era):
    token = run(agent, ALL_DEVICES + "\nstore(devices)")
    other = Agent.of(bob, era)
    assert "not defined" in failure(other, "len(devices)")["error"]
    assert failure(other, f"value('{token}')")["error"].startswith(f"ValueError: {REFUSED}")


def test_a_view_that_fails_is_an_error_in_the_program(agent):
    code = "try:\n    await inventory_device_retrieve(pk=10**9)\nexcept RuntimeError as e:\n    told = str(e)\ntold"
    assert "inventory_device_retrieve" in run(agent, code)
