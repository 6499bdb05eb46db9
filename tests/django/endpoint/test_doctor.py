"""`manage.py penstock_doctor`."""

import json
from io import StringIO

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db


def told(*arguments):
    out = StringIO()
    call_command("penstock_doctor", *arguments, stdout=out)
    return out.getvalue()


def test_what_is_exposed_to_whom():
    lines = told().splitlines()
    by_name = {line.split()[0]: line for line in lines if line}
    assert "heavy" in by_name["inventory_device_list"]
    assert "GET /api/devices/" in by_name["inventory_device_list"]
    assert "user, superuser" in by_name["inventory_device_list"]
    assert "all" in by_name["greet"].split()
    assert "admin" in by_name["purge"]
    assert "read_write" in by_name["inventory_device_create"]


def test_the_costs_are_those_of_a_list(settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "LIST_FORM": "auto"}
    found = json.loads(told("--json"))
    by_caller = {one["caller"]: one for one in found["callers"]}
    assert by_caller["superuser"]["listed_tokens"] <= 2_000 < by_caller["superuser"]["raw_tokens"]
    assert by_caller["anonymous"]["tools"] < by_caller["user"]["tools"]
    assert all(one["tokens"] > 10 for one in found["tools"])


def test_as_a_user_sees_it(ada):
    ada.user_permissions.add(Permission.objects.get(codename="add_device"))
    found = json.loads(told("--json", "--user", "ada"))
    (made,) = [one for one in found["tools"] if one["name"] == "inventory_guarded_create"]
    assert made["callers"] == ["superuser", "ada"]


def test_some_tools_alone():
    lines = told("inventory_reading_*").splitlines()
    assert any(line.startswith("inventory_reading_list") for line in lines)
    assert not any(line.startswith("inventory_device") for line in lines)
    assert "No tool is called nothing*" in told("nothing*")


def test_a_user_who_is_not_there():
    with pytest.raises(CommandError, match="no such user: nobody"):
        told("--user", "nobody")


def test_settings_that_cannot_be_used(settings):
    settings.PENSTOCK = {"BUDGET": "1B"}
    with pytest.raises(CommandError, match="BUDGET"):
        told()


def test_what_the_checks_say_is_said_here_too(settings):
    assert "penstock.W002" in told()
