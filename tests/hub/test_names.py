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
    names.remove(["old"])
    names.claim("tools", {"new": ["search"]})
    assert names.home("tools", "search").server == "new"


def test_a_name_that_another_process_gave_first_stays():
    first, second = Names(), Names()
    first.claim("tools", {"files": ["search", "read"]})
    second.claim("tools", {"web": ["search", "fetch"]})
    joined = second.after(first)
    told = {name: home.server for name, home in joined.tables["tools"].items()}
    assert told == {"search": "files", "read": "files", "web_search": "web", "fetch": "web"}
    assert joined.common("tools", "web", "search") == "web_search"
    assert second.common("tools", "web", "search") == "search"  # its clients know it so


CLAIMS = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from(["x", "a_x", "b_x", "y"]))),
    max_size=4,
)


@given(CLAIMS, CLAIMS)
def test_names_of_two_processes_are_all_kept_and_none_has_two_meanings(first_claims, second_claims):
    first, second = Names(), Names()
    for names, claims in ((first, first_claims), (second, second_claims)):
        for claim in claims:
            names.claim("tools", claim)
    joined = second.after(first)
    table = joined.tables.get("tools", {})
    assert table.items() >= first.tables.get("tools", {}).items()
    homes = {*first.tables.get("tools", {}).values(), *second.tables.get("tools", {}).values()}
    assert sorted(table.values(), key=str) == sorted(homes, key=str)
    assert all(joined.common("tools", *home_of(home)) == name for name, home in table.items())
    assert joined.after(joined).tables == joined.tables


def home_of(home):
    return home.server, home.name


def test_no_server_can_take_a_name_that_is_made_for_another():
    """A hostile server knows how names are made, and lists them first."""
    taken: list[str] = []
    for _ in range(3):  # each name that the newcomer would get
        names = Names()
        names.claim("tools", {"evil": ["search", *taken]})
        names.claim("tools", {"db": ["search"]})
        taken.append(names.common("tools", "db", "search"))
    assert len(set(taken)) == 3
    assert all(names.home("tools", name).server == "evil" for name in taken[:2])


def test_names_may_be_given_while_others_are_looked_up():
    """The sessions of `serve` share one table, and each has threads of its own."""
    names = Names()
    names.claim("tools", {"files": ["a", "b"], "web": ["a"]})

    class Meanwhile(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            names.claim("tools", {"other": [f"new {len(names.tables['tools'])}"]})
            return str(self) == str(other)

    assert names.count("tools", Meanwhile("files")) == 2
    assert names.renamed("tools", Meanwhile("files")) == {"a": "files_a"}
    assert names.spellings("tools", "a", [Meanwhile("web")]) == ["web_a"]
