"""URIs of Penstock's resources: each is answered with a resource or a clear error, never with a file."""

import json

import pytest
from conversation import Conversation, Faults
from hypothesis import given, settings
from hypothesis import strategies as st
from kept import every_kept
from mutations import spoilt_text
from relay_upstream import tool

from penstock.disclosure.uris import uri_for

SOME = settings(max_examples=settings.default.max_examples // 3)
MANY = [tool(f"tool_{n}", {"a": {"type": "string"}}) for n in range(20)]
ODD = [
    tool(name, {"text": {"type": "string"}}) for name in ("a b", "a/b", "a,b", "a%2Cb", "é?&#=+")
]
URIS = [
    "resource:///tool_descriptions",
    "resource:///tool_descriptions?tools=tool_1",
    "resource:///tool_descriptions?tools=tool_1,tool_2&whole=true",
    "resource:///tool_descriptions?tools=tool_1&tools=tool_2",
    "resource:///tool_descriptions{?tools}",
    uri_for("a b", "a/b", "a,b", "é?&#=+"),
    "penstock://result/" + "1" * 39,
    "penstock://result/$HANDLE",
    "ui://penstock/results",
]
NOT_FOUND = (-32002, -32602)


class Library:
    """A client that is listed no tool in full, and the handle of a stored result."""

    def __init__(self, era):
        self.conversation = Conversation(era, list_form="index")
        self.conversation.upstream.tools += MANY + ODD
        self.rig = self.conversation.rig
        self.rig.from_upstream({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        self.rig.listed()
        self.handle = self._handle()

    def _handle(self):
        self.conversation.upstream.results["rows"] = {
            "content": [{"type": "text", "text": json.dumps(["x" * 90] * 900)}]
        }
        token = self.conversation.token()
        result = self.rig.call("read_result", continuation_token=token, mode="full")
        (link,) = [block for block in result["content"] if block["type"] == "resource_link"]
        return link["uri"].removeprefix("penstock://result/")

    def read(self, uri):
        """Read a URI, and check the reply. Return it."""
        with Faults() as faults:
            reply = self.rig.ask("resources/read", {"uri": uri.replace("$HANDLE", self.handle)})
        assert faults.found == []
        if "error" in reply:
            assert reply["error"]["code"] in NOT_FOUND, reply
            assert reply["error"]["message"]
            assert "Traceback" not in json.dumps(reply)
            return reply
        (content,) = reply["result"]["contents"]
        assert content["uri"] == uri.replace("$HANDLE", self.handle)
        assert "root:" not in content.get("text", "")
        return reply


@pytest.fixture(scope="module", params=["legacy", "modern"])
def library(request):
    made = Library(request.param)
    yield made
    made.conversation.close()


@given(st.sampled_from(URIS).flatmap(lambda uri: st.just(uri) | spoilt_text(uri)))
@SOME
def test_any_uri_is_read_or_refused(library, uri):
    library.read(uri)


@given(st.lists(st.text() | st.sampled_from([one["name"] for one in MANY + ODD]), max_size=40))
@SOME
def test_any_names_can_be_asked_for(library, names):
    library.read(uri_for(*names))


@pytest.mark.parametrize("uri", URIS)
def test_the_uris_are_good_ones(library, uri):
    is_unknown = uri.endswith("1" * 39) or uri.startswith("ui:")
    assert ("error" in library.read(uri)) == is_unknown


@every_kept("uris")
def test_kept_uris(library, kept):
    library.read(kept.decode().removesuffix("\n"))
