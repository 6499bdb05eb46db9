"""Apps on a site: since 2026-07-28 a client says with every request that it shows apps."""

import pytest
from agents import LEGACY, MODERN, Agent
from gateway_site.inventory.models import Device

from penstock.explorer import MIME_TYPE, URI

DEVICES = 130  # as many as the plant has
ABLE = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [MIME_TYPE]}}}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


class AppAgent(Agent):
    """A client that shows apps."""

    def message(self, method, params=None, key=None):
        message = super().message(method, params, key)
        if self.era == MODERN:
            message["params"]["_meta"][CAPABILITIES] = ABLE
        return message


TOOL = "inventory_device_list"


@pytest.fixture
def opened(ada, plant):
    return AppAgent.of(ada, MODERN)


def test_the_explorer_shows_a_list_of_the_site(opened):
    assert {"show_result", "browse_result"} <= opened.tools().keys()
    [page] = opened.ask("resources/read", {"uri": URI})["contents"]
    assert page["mimeType"] == MIME_TYPE
    token = opened.value(TOOL)["continuation_token"]
    shown = opened.call("show_result", continuation_token=token)["structuredContent"]
    assert shown["result"]["live"] is True
    assert shown["page"]["total"] == DEVICES
    asked = {"continuation_token": token, "sort": {"column": "id", "descending": True}, "count": 2}
    sorted_ = opened.call("browse_result", **asked)["structuredContent"]
    ids = sorted(Device.objects.values_list("id", flat=True), reverse=True)
    assert [row["id"] for row in sorted_["rows"]] == ids[:2]


def test_another_user_sees_nothing_of_it(opened, bob):
    token = opened.value(TOOL)["continuation_token"]
    stranger = AppAgent.of(bob, MODERN)
    told = stranger.call("browse_result", continuation_token=token)
    assert told["structuredContent"]["gone"] is True


def test_other_clients_see_no_difference(ada, plant):
    for era in (LEGACY, MODERN):
        assert "show_result" not in Agent.of(ada, era).tools()
