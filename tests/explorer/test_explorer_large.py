"""A result of 100,000 rows: opened, scrolled, ordered, filtered and drawn, a page at a time."""

from __future__ import annotations

from plant_data import READINGS, SITES, STATES, number_of_rank, reading
from playwright.sync_api import expect

from explorer import size_in_json

FEWER = 6_000  # for tests in which the number of rows does not matter
# Bytes of a reply beside its rows: their columns, total, start and shape.
BESIDE = 3_000


def test_rows_come_as_they_are_scrolled_to_and_no_others(explore):
    explorer = explore("list_readings")
    explorer.has_count("100,000 rows")
    expect(explorer.grid).to_have_attribute("aria-rowcount", str(READINGS + 1))
    explorer.has_row(0, reading(0))
    explorer.scroll_to(READINGS // 2)
    expect(explorer.row(READINGS // 2)).to_be_attached()
    shown = explorer.shown()
    assert 10 <= len(shown) <= 40  # however many rows there are, few are drawn
    for index in shown[:3] + shown[-3:]:
        explorer.has_row(index, reading(index))
    explorer.scroll_to_end()
    explorer.has_row(READINGS - 1, reading(READINGS - 1))
    explorer.scroll_to(0)
    explorer.has_row(0, reading(0))
    calls = [call for call in explorer.host.calls() if call["reply"]]
    pages = [call["reply"]["rows"] for call in calls]
    assert 2 <= len(calls) <= 12
    assert sum(map(len, pages)) <= 1_000
    for call, page in zip(calls, pages, strict=True):
        assert call["bytes"] <= size_in_json(page) + BESIDE


def test_rows_are_sorted_and_filtered_among_all(explore):
    explorer = explore("list_readings")
    explorer.sort("rank", "ascending")
    for rank in (0, 1, 5):
        n = number_of_rank(rank)
        explorer.has_row(rank, reading(n), n)
    explorer.scroll_to_end()
    n = number_of_rank(READINGS - 1)
    explorer.has_row(READINGS - 1, reading(n), n)
    explorer.filter("status", "is", "down")
    down = [n for n in range(READINGS) if STATES[n // 3 % 10] == "down"]
    explorer.has_count(f"{len(down):,} of 100,000 rows")
    explorer.find("Perth")
    found = [n for n in down if SITES[n % 5] == "Perth"]
    explorer.has_count(f"{len(found):,} of 100,000 rows")
    least = min(found, key=lambda n: reading(n)["rank"])
    explorer.has_row(0, reading(least), least)
    explorer.scroll_to_end()
    most = max(found, key=lambda n: reading(n)["rank"])
    explorer.has_row(len(found) - 1, reading(most), most)


def test_texts_and_dates_sort_both_ways_and_then_stand_as_they_came(explore):
    explorer = explore("list_readings", count=FEWER)
    explorer.sort("site", "ascending")
    explorer.has_row(0, reading(0))  # the first Lyon: equal rows keep their order
    explorer.has_row(1, reading(5), 5)
    explorer.sort("site", "descending")
    explorer.has_row(0, reading(3), 3)  # Tromsø
    explorer.sort("at", "ascending")
    explorer.sort("at", "descending")
    explorer.has_row(0, reading(FEWER - 1), FEWER - 1)
    explorer.sort("at", "none")
    explorer.has_row(0, reading(0))


def test_conditions_hold_together_and_are_taken_off_one_by_one(explore):
    explorer = explore("list_readings", count=FEWER)
    explorer.filter("rank", "is less than", "5000")
    explorer.filter("device", "contains", "-49")
    low = [n for n in range(FEWER) if reading(n)["rank"] < 5_000]
    both = [n for n in low if "-49" in reading(n)["device"]]
    explorer.has_count(f"{len(both):,} of 6,000 rows")
    explorer.has_row(0, reading(both[0]), both[0])
    explorer.view.get_by_role("button", name="Remove filter: device contains -49").click()
    explorer.has_count(f"{len(low):,} of 6,000 rows")


def test_one_row_is_found_and_seen_among_its_neighbours_or_none_is(explore):
    explorer = explore("list_readings", count=FEWER)
    explorer.find("READING 4321 OF")
    explorer.has_count("1 of 6,000 rows")
    explorer.has_row(0, reading(4_321), 4_321)
    explorer.view.get_by_role("button", name="Show in context").click()
    explorer.has_count("6,000 rows")
    explorer.has_row(4_321, reading(4_321))
    explorer.has_row(4_322, reading(4_322))
    explorer.find("nowhere to be found")
    expect(explorer.view.get_by_role("heading", name="Nothing matches")).to_be_visible()
    explorer.has_count("0 of 6,000 rows")
    explorer.view.get_by_role("button", name="Show all rows").click()
    explorer.has_row(0, reading(0))
