"""Lists that a site's own paginator pages: they are read to their end, and no page passes for all."""

import re

import pytest
from agents import Agent
from django.core.cache import cache
from django.test import Client
from gateway_site.inventory import paged_views
from gateway_site.inventory.models import Device, Location
from gateway_site.inventory.paged_views import ByLimit
from rest_framework.throttling import UserRateThrottle

from penstock.django import paged_lists, registry
from penstock.django.list_kinds import ListKind

COUNTED = ("ByNumber", "BySize", "ByTens", "ByLimit", "InReport", "ByChoice", "ByChoiceAndP")
WALKED = (
    *("ByCursor", "ByKey", "WithOrphans", "ByOffset", "Decorated"),
    *("ByPageCount", "ByPageCountAndLinks", "ByCountWithoutLinks"),
)
COUNT = "SELECT count(*) AS n, count(DISTINCT id) AS different FROM result"


def tool(view):
    return f"inventory_{view}_{'get' if view == 'LargePages' else 'list'}"


@pytest.fixture
def paged(ada, plant, settings):
    """Return an agent who holds the key to a hall, in which all devices are."""
    settings.ROOT_URLCONF = "gateway_site.list_urls"
    ada.last_name = Location.objects.order_by("name").first().name
    ada.save()
    Device.objects.update(location=Location.objects.get(name=ada.last_name))
    return Agent.of(ada)


def first_page(agent, view, **arguments):
    hall = {"hall": "hall 0"} if view == "InReport" else {}
    return agent.value(tool(view), **hall, **arguments)


def counted(agent, page):
    token = page["continuation_token"]
    return agent.value("read_result", continuation_token=token, mode="sql", query=COUNT)["items"]


def ids(rows):
    return sorted(row["id"] for row in rows)


def all_ids():
    return sorted(Device.objects.values_list("id", flat=True))


def words(agent):
    """Return what the last reply says beside its value."""
    return agent.last.json()["result"]["content"][1]["text"]


# -- lists that are read to their end ----------------------------------------------------------------


@pytest.mark.parametrize("view", COUNTED)
def test_a_list_is_read_through_the_paginator(paged, view):
    page = first_page(paged, view)
    assert (page["count"], len(page["results"]), page["live"]) == (130, 20, True)
    assert ids(paged.walk(tool(view), page)) == all_ids()
    assert counted(paged, page) == [{"n": 130, "different": 130}]


@pytest.mark.parametrize("view", WALKED)
def test_a_list_without_a_count_is_walked(paged, view):
    page = first_page(paged, view)
    assert (page["count"], len(page["results"])) == (130, 20)
    assert ids(paged.walk(tool(view), page)) == all_ids()
    assert counted(paged, page) == [{"n": 130, "different": 130}]


def test_rows_that_the_paginator_hides_stay_hidden_and_are_not_counted(paged):
    page = first_page(paged, "WithGaps")
    shown = [key for key in all_ids() if key % 5]
    assert page["count"] == len(shown)
    assert ids(paged.walk(tool("WithGaps"), page)) == shown


def test_a_list_with_fewer_rows_than_the_api_counts_says_so(paged):
    probe = first_page(paged, "WithGaps")
    shown = len([key for key in all_ids() if key % 5])
    assert f"The API counts 130 rows; its pages showed {shown}." in str(probe["notices"])


def test_gaps_that_show_late_end_the_reading(paged):
    """A page with a gap must not pass for the end of the list."""
    page = first_page(paged, "WithLateGaps")
    token = page["continuation_token"]
    told = paged.error("read_result", continuation_token=token, mode="sql", query=COUNT)
    assert "does not hold the rows that were asked for" in told["error"]
    assert "parameters for pages" in told["next_step"]


def test_a_small_list_with_gaps_is_walked(paged):
    Location.objects.bulk_create(Location(name=f"x{n:03}") for n in range(120))
    assert first_page(paged, "SmallWithGaps")["count"] == 122


def test_a_heavy_list(paged):
    page = first_page(paged, "ByNumberHeavy")
    assert (page["count"], len(page["results"])) == (130, 40)
    told = paged.value(tool("ByNumberHeavy"), continuation_token=page["next"], page=4)
    assert len(told["items"]) == 10


def test_a_size_that_depends_on_the_request_of_the_paginator(paged):
    assert paged.client.get("/api/BySizeOfRequest/", headers=paged.headers).status_code == 200
    page = first_page(paged, "BySizeOfRequest")
    assert ids(paged.walk(tool("BySizeOfRequest"), page)) == all_ids()


def test_a_list_that_becomes_shorter(paged):
    page = first_page(paged, "ByNumber")
    Device.objects.filter(pk__in=all_ids()[10:]).delete()
    told = paged.value(tool("ByNumber"), continuation_token=page["next"])
    assert (told["items"], told["total"], told["count_was"]) == ([], 10, 130)


def test_a_small_list_has_the_form_that_the_api_gives_it(paged):
    told = first_page(paged, "SmallList")
    assert told["unit"] == "EUR"
    assert len(told["all"]["rows"]) == 3
    Location.objects.bulk_create(Location(name=f"x{n}") for n in range(60))
    assert len(first_page(paged, "SmallList")["results"]) == 63


def test_a_list_in_random_order_is_read_at_once_or_not_at_all(paged):
    page = first_page(paged, "AllInRandomOrder")
    assert ids(paged.walk(tool("AllInRandomOrder"), page)) == all_ids()
    for view in ("InRandomOrder", "InRandomOrderByKeyword"):
        first_page(paged, view)
        assert "50 of 130 rows" in words(paged)


MARKED = ("MarkedInPages", "MarkedAtOnce", "MarkedBySite")


@pytest.mark.parametrize("view", MARKED)
def test_what_a_view_has_set_on_its_rows_is_shown(paged, view):
    page = first_page(paged, view)
    rows = paged.walk(tool(view), page)
    assert ids(rows) == all_ids()
    assert [row["mark"] for row in rows] == [f"mark {row['id']}" for row in rows]
    assert page["count"] == 130


@pytest.mark.parametrize("view", MARKED)
def test_what_a_view_has_set_on_the_rows_of_a_small_list_or_a_page(paged, view):
    arguments = {"page": 2} if view == "MarkedBySite" else {}
    Device.objects.filter(pk__in=all_ids()[60:]).delete()
    told = first_page(paged, view, **arguments)
    rows = told if isinstance(told, list) else told["results"]
    assert rows
    assert [row["mark"] for row in rows] == [f"mark {row['id']}" for row in rows]


def test_a_list_that_the_paginator_reads_again_is_as_the_api_gives_it(paged):
    page = first_page(paged, "MarkedInOrder")
    said = paged.client.get("/api/MarkedInOrder/", headers=paged.headers).json()["results"]
    assert page["results"] == said[:20]


# -- lists above the limit for queries ---------------------------------------------------------------


@pytest.fixture
def limited(paged, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "QUERY_ROWS": 100}
    return paged


@pytest.mark.parametrize("view", COUNTED)
def test_above_the_limit_pages_go_on_and_queries_are_refused(limited, view):
    page = first_page(limited, view)
    assert page["count"] == 130
    assert ids(limited.walk(tool(view), page)) == all_ids()
    for asked in ({"mode": "sql", "query": COUNT}, {"mode": "summary"}):
        told = limited.error("read_result", continuation_token=page["next"], **asked)
        assert "The list has 130 rows." in told["error"]
        assert "filters" in told["next_step"]


@pytest.mark.parametrize("view", ["ByCursor", "ByKey"])
def test_above_the_limit_a_list_without_a_count_has_more_than_it(limited, view):
    probe = first_page(limited, view)
    assert "only the first 120 rows; the list has more than 120" in probe["notices"][0]
    assert "count" not in probe
    token = probe["continuation_token"]
    told = limited.value("read_result", continuation_token=token, path="/page/results")
    assert told["total"] == 120


def test_above_the_limit_a_list_in_random_order_is_not_read_at_once(limited):
    assert first_page(limited, "AllInRandomOrder")["count"] == 130
    assert "50 of 130 rows" in words(limited)


def test_a_list_that_is_known_to_be_too_long_is_left_to_the_apis_pages(paged):
    told = first_page(paged, "AllAddresses")
    assert len(told["results"]) == 256
    assert f"256 of {2**62:,} rows" in words(paged)


def test_a_parameter_that_a_paginator_names_in_an_attribute(paged):
    assert "start" in paged.tools()[tool("AllAddresses")]["inputSchema"]["properties"]
    told = first_page(paged, "AllAddresses", start="a512")
    assert told["results"][0] == {"address": "a512"}
    assert "one of the API's own pages" in words(paged)


# -- lists that take long to read ---------------------------------------------------------------------


@pytest.fixture
def hurried(paged, monkeypatch):
    """Return an agent for whom the time to walk is over at once."""
    monkeypatch.setattr(paged_lists, "WALK_SECONDS", 0)
    return paged


def test_a_walk_ends_in_time_and_tells_the_way_on(hurried):
    told = first_page(hurried, "ByKey")
    assert (told["count"], len(told["results"])) == (None, 30)
    last = told["results"][-1]["id"]
    assert "only the first 30 rows; the list has more than 30." in words(hurried)
    assert f"call the tool again with after={last}." in words(hurried)
    assert ids(first_page(hurried, "ByKey", after=last)["rows"]) == all_ids()[30:60]


def test_a_walk_that_ends_in_time_tells_the_paginators_count(hurried):
    told = first_page(hurried, "SomeAddresses")
    assert (told["count"], len(told["results"])) == (1024, 256)
    assert "the list has 1,024. For the next ones, call the tool again with start=a256" in words(
        hurried
    )


def test_a_small_list_that_takes_long(hurried):
    Location.objects.bulk_create(Location(name=f"x{n}") for n in range(60))
    told = first_page(hurried, "SmallList")
    assert (told["count"], len(told["results"])) == (63, 30)
    assert "only the first 30 rows; the list has 63." in words(hurried)


def test_a_page_by_token_that_takes_long(hurried):
    page = first_page(hurried, "BySize")
    assert hurried.value(tool("BySize"), continuation_token=page["next"])["items"]
    token = page["continuation_token"]
    told = hurried.error("read_result", continuation_token=token, page_size=100)
    assert "take too long" in told["error"]
    assert "smaller page_size" in told["next_step"]


# -- single pages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("view", "arguments", "shown"),
    [
        ("ByNumber", {"page": 3}, 30),
        ("BySize", {"page_size": 7}, 7),
        ("ByLimit", {"offset": 110}, 20),
    ],
)
def test_a_page_that_the_agent_asks_for_is_marked(paged, view, arguments, shown):
    page = first_page(paged, view, **arguments)
    assert (page["count"], len(page["results"])) == (130, shown)
    assert f"one of the API's own pages, {shown} of 130 rows" in words(paged)
    assert "`next`" not in words(paged)


@pytest.mark.parametrize(
    ("view", "arguments", "shown"), [("ByChoiceAndP", {"p": 2}, 50), ("ByKey", {"after": 40}, 30)]
)
def test_a_page_by_a_parameter_of_the_sites_is_marked(paged, view, arguments, shown):
    page = first_page(paged, view, **arguments)
    assert len(page.get("results", page.get("rows"))) == shown
    assert "one of the API's own pages" in words(paged)


def told_of(agent, probe):
    """Return what a stored page says of itself. Its rows are not the rows of the result."""
    assert probe["notices"]
    assert "count" not in probe
    assert "sql" not in probe["available_modes"]
    token = probe["continuation_token"]
    told = agent.value("read_result", continuation_token=token)
    assert told["items"][0] == {"key": "notice", "value": probe["notices"][0]}
    return probe["notices"][0]


def test_a_page_above_the_budget_is_marked_too(paged):
    probe = first_page(paged, "ByLimit", limit=100)
    assert "100 of 130 rows" in told_of(paged, probe)
    probe = first_page(paged, "LargePages")
    assert "100 of 130 rows" in told_of(paged, probe)
    assert first_page(paged, "LargePages", page=2)["count"] == 130
    assert "30 of 130 rows" in words(paged)


@pytest.mark.parametrize("rows", range(70, 100, 3))
def test_no_size_of_a_page_drops_the_mark(paged, rows):
    """Near the budget, a page passes as it is or is stored."""
    paged.call(tool("ByLimit"), limit=rows)
    assert f"{rows} of 130 rows" in paged.last.content.decode()
    assert f'\\"count\\":{rows}' not in paged.last.content.decode()


def test_an_answer_that_is_built_from_a_page(paged):
    assert len(first_page(paged, "Ranking")["ranks"]) == 50
    assert "50 of 130 rows" in words(paged)


def test_what_a_paginator_hides_in_its_answer_stays_hidden(paged):
    page = first_page(paged, "Masked")
    assert {row["price"] for row in page["results"]} == {"hidden"}
    assert (page["count"], page["sum"]) == (130, 4711)
    assert "50 of 130 rows" in words(paged)


@pytest.mark.parametrize("view", ["ByPageCount", "ByPageCountAndLinks", "ByCountWithoutLinks"])
def test_a_page_whose_count_is_its_own_does_not_pass_for_the_list(paged, view):
    first_page(paged, view, offset=30)
    assert "one of the API's own pages" in words(paged)


def test_links_that_lead_back_end_the_reading(paged):
    first_page(paged, "InCircles")
    told = paged.last.content.decode()
    assert "lead back to a page that was read: these are 60 rows" in told


def test_a_paginator_that_leads_to_its_first_page_only(paged):
    assert len(first_page(paged, "FirstPageOnly")["items"]) == 30
    assert "30 of 130 rows" in words(paged)


def test_a_page_that_tells_nothing(paged):
    assert len(first_page(paged, "Untold")) == 30
    assert "may be one of the API's own pages" in words(paged)


def test_pages_by_offset_with_rows_missing_in_them_are_not_put_together(paged):
    page = first_page(paged, "ByOffsetWithGaps")
    assert len(page["items"]) == len([key for key in all_ids()[:30] if key % 5])
    assert "of 130 rows" in words(paged)


def test_the_parameters_of_a_paginator_that_tells_none_are_named(paged):
    named = paged.tools()[tool("ByOffset")]["inputSchema"]["properties"]
    assert {"offset", "limit"} <= named.keys()
    assert len(first_page(paged, "ByOffset", offset=120)["items"]) == 10


def test_what_pages_hold_besides_their_rows_is_told(paged):
    page = first_page(paged, "WithFacets")
    assert page["count"] == 130
    assert "facets" in str(page["notices"])
    assert "notices" not in first_page(paged, "ByPageCount")  # `next_offset` is about pages
    assert first_page(paged, "WithFacets", page=2)["facets"] == {"router": 44}


# -- decorators of the URLconf -----------------------------------------------------------------------


CACHED = ("Cached", "CachedHandler", "CachedList", "CachedDispatch", "CachedHeavy")


@pytest.mark.parametrize("view", CACHED)
def test_a_list_in_a_cache_stays_as_the_api_gives_it(paged, view):
    """Other clients get from the cache what they would get without Penstock."""
    cache.clear()
    page = first_page(paged, view)
    assert (page["count"], len(page["results"])) == (130, 20)
    assert ids(paged.walk(tool(view), page)) == all_ids()
    said = paged.client.get(f"/api/{view}/", headers=paged.headers).json()
    assert (said["count"], len(said["results"])) == (130, 50)
    again = first_page(paged, view)
    assert (again["count"], again["results"]) == (130, page["results"])
    assert registry.tools()[tool(view)].runs.lists is ListKind.PAGED


def test_a_guard_that_knows_the_view_by_its_identity(paged, ada, monkeypatch):
    session = Agent(client=Client())
    session.client.force_login(ada)
    assert first_page(session, "Ruled")["count"] == 130
    monkeypatch.setitem(paged_views.RULES, paged_views.ruled_view, ("ada",))
    assert session.client.get("/api/Ruled/").status_code == 403
    assert session.error(tool("Ruled"))["status_code"] == 403


def test_a_limit_that_knows_the_view_by_its_name(paged, monkeypatch):
    monkeypatch.setattr(paged_views, "CALLS", [])
    paged.client.get("/api/Limited/", headers=paged.headers)
    assert first_page(paged, "Limited")["count"] == 130
    assert len(paged_views.CALLS) >= 2
    assert len({*paged_views.CALLS}) == 1


def test_other_clients_of_a_decorated_view_get_its_own_class(paged, monkeypatch):
    classes, initial = [], paged_views.ByLimit.initial

    def noted(self, request, *args, **kwargs):
        classes.append(type(self))
        return initial(self, request, *args, **kwargs)

    monkeypatch.setattr(paged_views.ByLimit, "initial", noted)
    first_page(paged, "Limited")
    paged.client.get("/api/Limited/", headers=paged.headers)
    assert paged_views.ByLimit not in classes[:-1]
    assert classes[-1] is paged_views.ByLimit


@pytest.mark.parametrize("view", ["Sliced", "SlicedDecorated"])
def test_a_view_that_slices_its_rows(paged, view):
    probe = first_page(paged, view)
    assert "only 110 of 130 rows" in told_of(paged, probe)
    assert len(first_page(paged, view, page=2)) == 20
    assert "only 20 of 130 rows" in words(paged)


# -- callers ------------------------------------------------------------------------------------------


def test_the_handler_is_asked_again(paged, ada):
    page = first_page(paged, "InReport")
    ada.last_name = ""
    ada.save()
    told = paged.error("read_result", continuation_token=page["next"])
    assert told["error"].startswith("Continuation token expired or not found.")


def test_many_pages_count_as_one_call(paged, monkeypatch):
    class Twice(UserRateThrottle):
        rate = "2/day"

    monkeypatch.setattr(ByLimit, "throttle_classes", (Twice,))
    monkeypatch.setattr("gateway_site.inventory.paged_views.OptionalLimits.largest", 20)
    cache.clear()
    page = first_page(paged, "ByLimit")
    assert counted(paged, page) == [{"n": 130, "different": 130}]
    assert paged.error(tool("ByLimit"))["status_code"] == 429


@pytest.mark.parametrize("view", ["ByLimit", "ByNumber", "InFifties"])
def test_a_page_by_token_is_one_call_and_is_refused_like_one(paged, monkeypatch, view):
    class Thrice(UserRateThrottle):
        rate = "3/day"

    monkeypatch.setattr(getattr(paged_views, view), "throttle_classes", (Thrice,))
    cache.clear()
    page = first_page(paged, view)
    for _ in range(2):
        assert paged.value(tool(view), continuation_token=page["next"])["items"]
    told = paged.error(tool(view), continuation_token=page["next"])
    assert re.search(r"status 429\): try again in \d+ seconds", told["error"])
    assert "same continuation_token" in told["next_step"]
    cache.clear()  # as after the wait
    assert paged.value(tool(view), continuation_token=page["next"])["items"]


@pytest.mark.parametrize("view", ["ByLimit", "InFifties"])
def test_each_page_in_a_batch_is_a_call(paged, monkeypatch, view):
    class Thrice(UserRateThrottle):
        rate = "3/day"

    monkeypatch.setattr(getattr(paged_views, view), "throttle_classes", (Thrice,))
    cache.clear()
    read = {
        "name": tool(view),
        "arguments": {"continuation_token": first_page(paged, view)["next"]},
    }
    answers = paged.post([paged.message("tools/call", read) for _ in range(3)]).json()
    assert [one["result"].get("isError", False) for one in answers] == [False, False, True]


def test_how_lists_are_read_is_known(paged, settings):
    kinds = {name: one.runs.lists for name, one in registry.tools().items() if "inventory" in name}
    assert {kinds[tool(view)] for view in (*COUNTED, *WALKED, "Untold")} == {ListKind.PAGED}
    assert kinds[tool("LargePages")] is ListKind.OWN_PAGES
    assert kinds["inventory_devices_list"] is ListKind.LIVE
    assert "page" in paged.tools()[tool("ByNumber")]["inputSchema"]["properties"]
