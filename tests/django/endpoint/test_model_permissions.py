"""Permissions of models, asked before a call: a tool is shown to those who may use it."""

import pytest
from agents import Agent
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from gateway_site.inventory.model_views import Sorted

NAME = "inventory_{}_list".format


@pytest.fixture
def shown(ada, plant, settings):
    """Return a function that gives a user permissions, and returns the tools shown then."""
    settings.ROOT_URLCONF = "gateway_site.model_urls"

    def tools_with(*permissions):
        ada.user_permissions.set(Permission.objects.filter(codename__in=permissions))
        return Agent.of(ada).tools().keys()

    return tools_with


@pytest.mark.parametrize("view", ["sorted", "hidden"])
def test_a_queryset_that_reads_the_query_decides_nothing(shown, view):
    assert NAME(view) not in shown()
    assert NAME(view) in shown("view_device")


def test_the_model_that_is_listed_counts(shown):
    assert NAME("other") not in shown("view_device")
    assert NAME("other") in shown("view_location")


def test_a_queryset_that_leads_to_another_model_is_made(shown, ada):
    assert NAME("halls_of") in shown("view_location")
    assert len(Agent.of(ada).value(NAME("halls_of"))) == 3


def test_a_permission_of_models_that_looks_at_rows_gets_the_queryset(shown, ada):
    assert NAME("no_pumps") in shown("view_device")
    assert len(Agent.of(ada).value(NAME("no_pumps"))) == 87


def test_a_model_that_depends_on_arguments_is_left_to_the_call(shown, ada):
    assert NAME("chosen") in shown("view_location")
    agent = Agent.of(ada)
    assert agent.value(NAME("chosen"), of="halls")
    assert agent.error(NAME("chosen"))["status_code"] == 403


def test_a_queryset_that_refuses_is_asked(shown):
    assert NAME("staff") not in shown("view_device")


def test_a_permission_that_looks_at_rows_is_left_to_the_call(shown, ada, plant):
    assert NAME("hall") in shown()
    assert Agent.of(ada).value(NAME("hall"), hall="hall 0")


def test_the_queryset_is_made_for_a_call_only(shown, ada):
    """Making it may take a hundred times as long as the check."""
    shown("view_device")
    before = Sorted.made
    assert NAME("by_token") in Agent.of(ada).tools()
    assert Sorted.made == before


def test_a_call_does_not_read_all_rights_of_the_caller(shown, ada):
    shown("view_device")
    agent = Agent.of(ada)
    agent.tools()
    with CaptureQueriesContext(connection) as queries:
        agent.value(NAME("hall"), hall="hall 0")
    assert not [one for one in queries.captured_queries if "auth_permission" in one["sql"]]
