"""Sessions with the same list of tools share what Penstock makes of it."""

import gc
import json

from penstock import Policy
from penstock.wire.messages import members_of
from penstock.wire.pinned_names import PinnedNames
from penstock.wire.shared_toolboxes import SharedToolboxes
from penstock.wire.toolbox import read_page

POLICY = Policy()


def page(*names, **members):
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    return read_page(members_of(json.dumps({"tools": tools, **members}).encode()))


def read(shared, *pages, policy=POLICY, now=0.0, is_modern=False, pinned=None):
    pinned = pinned or PinnedNames()
    return shared.read(pages, policy, now, is_modern=is_modern, pinned=pinned)


def test_the_same_list_is_read_once():
    shared = SharedToolboxes()
    first, second = (read(shared, page("a", "b")) for _ in range(2))
    assert first is second
    assert list(first.tools) == ["a", "b"]


def test_another_list_is_another_toolbox():
    shared = SharedToolboxes()
    first = read(shared, page("a", "b"))
    others = [
        read(shared, page("a", "c")),
        read(shared, page("a"), page("b")),
        read(shared, page("a", "b", _meta={"x": 1})),
        read(shared, page("a", "b"), is_modern=True),
    ]
    assert len({id(toolbox) for toolbox in (first, *others)}) == 5
    assert [list(toolbox.tools) for toolbox in others[:2]] == [["a", "c"], ["a", "b"]]


def test_lifetimes_differ_but_the_tools_are_shared():
    shared = SharedToolboxes()
    sent = page("a", ttlMs=60_000, cacheScope="public")
    first, second = (read(shared, sent, now=now, is_modern=True) for now in (0.0, 5.0))
    assert (first.expires, second.expires) == (60.0, 65.0)
    assert first.tools is second.tools
    assert first.catalogue is second.catalogue
    assert first.outdated().is_outdated
    assert not second.is_outdated


def test_other_settings_share_nothing():
    shared = SharedToolboxes()
    first = read(shared, page("a"))
    second = read(shared, page("a"), policy=Policy(app_only=("a",)))
    assert first.for_apps != second.for_apps
    assert read(shared, page("a")).for_apps == first.for_apps


def test_a_name_that_is_pinned_in_one_session_hides_a_tool_there_alone():
    shared, pinned = SharedToolboxes(), PinnedNames()
    pinned.pin({"find": "find_tools"}, shares_reader=False)
    sent = page("a", "find_tools")
    assert list(read(shared, sent).tools) == ["a", "find_tools"]
    assert list(read(shared, sent, pinned=pinned).tools) == ["a"]
    assert list(read(shared, sent).tools) == ["a", "find_tools"]


def test_a_toolbox_ends_with_its_last_session():
    shared = SharedToolboxes()
    kept = read(shared, page("a"))
    del kept
    gc.collect()
    assert not shared._known
