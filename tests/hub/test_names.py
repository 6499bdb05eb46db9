"""A name that is given once is kept, and no two things have one name."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penstock.hub.names import LONGEST, Names, uri_with_server, uri_without_server


def test_a_name_that_one_server_alone_has_stays():
    names = Names()
    assert names.claim("tools", {"files": ["read"], "web": ["fetch"]})
    assert names.home("tools", "read").server == "files"
    assert names.common("tools", "web", "fetch") == "fetch"
    assert not names.claim("tools", {"files": ["read"]})


def test_servers_that_bring_one_name_together_both_get_their_own():
    names = Names()
    names.claim("tools", {"files": ["search"], "my web": ["search"]})
    assert set(names.tables["tools"]) == {"files_search", "my_web_search"}
    assert names.home("tools", "my_web_search").name == "search"
    assert names.spellings("tools", "search", ["my web"]) == ["my_web_search"]


def test_a_later_collision_renames_only_the_newcomer():
    names = Names()
    names.claim("tools", {"files": ["search"]})
    names.claim("tools", {"files": ["search"], "web": ["search"]})
    assert names.common("tools", "files", "search") == "search"
    assert names.common("tools", "web", "search") == "web_search"


def test_a_name_made_for_one_server_is_not_given_to_another():
    names = Names()
    names.claim("tools", {"a": ["x"], "b": ["x"], "c": ["a_x"]})
    assert len(names.tables["tools"]) == 3
    names.claim("tools", {"c": ["a_x"]})
    assert {home.server for home in names.tables["tools"].values()} == {"a", "b", "c"}


@pytest.mark.parametrize("count", [1, 2])
def test_no_name_is_longer_than_hosts_allow(count):
    names = Names()
    long = "a" * 200
    names.claim("tools", {f"server {number}": [long, long + "b"] for number in range(count)})
    assert len(names.tables["tools"]) == 2 * count
    assert all(len(name) <= LONGEST for name in names.tables["tools"])


def test_a_uri_on_two_servers_gets_the_servers_name():
    names = Names()
    names.claim("resources", {"a": ["file:///x", "data"], "b": ["file:///x", "data"]})
    assert set(names.tables["resources"]) == {"file://a//x", "file://b//x", "a:data", "b:data"}


@given(uri=st.text(max_size=30), server=st.text(max_size=30))
def test_a_uri_leads_back_to_what_it_was(uri, server):
    assume(not uri.startswith("//"))  # no URI, and looks like one with a scheme
    assert uri_without_server(uri_with_server(uri, server), server) == uri


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from(["x", "a_x", "b_x", "y" * 80])))
    )
)
def test_names_never_move(arrivals):
    names, seen = Names(), {}
    for server, listed in arrivals:
        names.claim("tools", {server: listed})
        assert all(names.tables["tools"][name] == home for name, home in seen.items())
        seen = dict(names.tables["tools"])
        assert all(names.home("tools", names.common("tools", server, name)) for name in listed)
        assert len(set(seen.values())) == len(seen)


def test_names_of_removed_servers_are_free_again():
    names = Names()
    names.claim("tools", {"old": ["search"]})
    names.keep_only(["new"])
    names.claim("tools", {"new": ["search"]})
    assert names.home("tools", "search").server == "new"
