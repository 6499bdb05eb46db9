"""Ten questions about 100,000 rows, answered with the explorer alone and checked with SQL."""

from __future__ import annotations

import sqlite3

import pytest
from playwright.sync_api import expect
from test_explorer_charts import choose, has_picture
from trips_data import TRIPS, trips

from explorer import flat

# Returns the texts of the cells of a table, without its heads.
CELLS = (
    """table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.innerText))"""
)


@pytest.fixture(scope="module")
def sql():
    """Return a function that answers a question about the trips in SQL."""
    db = sqlite3.connect(":memory:", check_same_thread=False)  # a test runs in the browser's thread
    rows = [flat(trip) for trip in trips()]
    names = list({name: None for row in rows for name in row})
    quoted = ", ".join(f'"{name}"' for name in names)
    db.execute(f"CREATE TABLE trips ({quoted})")
    marks = ", ".join("?" for _ in names)
    db.executemany(
        f"INSERT INTO trips VALUES ({marks})",  # noqa: S608 (question marks alone)
        ([row.get(name) for name in names] for row in rows),
    )
    yield lambda statement: db.execute(statement).fetchall()
    db.close()


@pytest.fixture
def explorer(explore, driver):
    return driver.run(explore, "list_trips")


def has_found(explorer, answer):
    [(count,)] = answer
    assert 0 < count < TRIPS
    explorer.has_count(f"{count:,} of {TRIPS:,} rows")


def drawn(explorer, label, across, up=None):
    """Return the figures of a chart, as its table shows them."""
    if not explorer.view.get_by_role("region", name="Chart").count():
        explorer.tool("Chart").click()
    choose(explorer, across, up)
    has_picture(explorer, label)
    explorer.view.get_by_role("button", name="Show as a table").click()
    return explorer.view.get_by_role("table").evaluate(CELLS)


def test_how_many_trips_are_longer_than_a_distance(explorer, sql):
    explorer.filter("metres", "is more than", "10,000")
    has_found(explorer, sql("SELECT count(*) FROM trips WHERE metres > 10000"))


def test_how_many_trips_began_on_a_day_on_some_kinds_of_bikes(explorer, sql):
    explorer.filter("started", "is", "14 April 2024")
    dialog = explorer.condition("bike", "is one of")
    dialog.get_by_role("checkbox", name="electric").check()
    dialog.get_by_role("checkbox", name="cargo").check()
    dialog.get_by_role("button", name="Apply").click()
    has_found(
        explorer,
        sql(
            "SELECT count(*) FROM trips WHERE date(started) = '2024-04-14' "
            "AND bike IN ('electric', 'cargo')"
        ),
    )


def test_how_many_trips_ended_between_two_days(explorer, sql):
    explorer.filter("ended_at", "is between", "1 May 2024", to="3 May 2024")
    has_found(
        explorer,
        sql(
            "SELECT count(*) FROM trips WHERE date(ended_at / 1000, 'unixepoch') "
            "BETWEEN '2024-05-01' AND '2024-05-03'"
        ),
    )


def test_how_many_trips_have_no_review(explorer, sql):
    explorer.filter("review.stars", "is null or missing")
    has_found(explorer, sql('SELECT count(*) FROM trips WHERE "review.stars" IS NULL'))


def test_how_many_trips_mention_a_flat_tyre(explorer, sql):
    explorer.find("flat tyre")
    has_found(
        explorer, sql("""SELECT count(*) FROM trips WHERE "review.remark" LIKE '%flat tyre%'""")
    )


def test_which_was_the_longest_trip_on_a_day_pass(explorer, sql):
    explorer.filter("rider.plan", "is", "day pass")
    explorer.sort("metres", "ascending")
    explorer.sort("metres", "descending")
    [(trip, metres)] = sql(
        """SELECT trip, metres FROM trips WHERE "rider.plan" = 'day pass'
        ORDER BY metres DESC, trip DESC LIMIT 1"""
    )
    cells = explorer.cells(0)
    assert (cells["trip"], cells["metres"]) == (str(trip), str(metres))


def test_where_most_trips_begin(explorer, sql):
    figures = drawn(explorer, "Bar chart of from.station, from 100,000 rows", "from.station")
    counts = sql("""SELECT "from.station", count(*) FROM trips GROUP BY 1 ORDER BY 2 DESC, 1""")
    others = counts[20:]
    assert others
    assert figures == [
        *([name, f"{count:,}"] for name, count in counts[:20]),
        [f"{len(others)} other values", f"{sum(count for _, count in others):,}"],
    ]


def test_what_a_trip_costs_by_kind_of_bike(explorer, sql):
    figures = drawn(explorer, "Bar chart of fare by bike, from 100,000 rows", "bike", "fare")
    means = sql("SELECT bike, avg(fare), count(*) FROM trips GROUP BY 1 ORDER BY 3 DESC")
    assert figures == [[bike, f"{mean:.6g}", f"{count:,}"] for bike, mean, count in means]


def test_on_which_days_there_were_most_trips(explorer, sql):
    figures = drawn(explorer, "Timeline of started, from 100,000 rows", "started")
    days = sql("SELECT date(started), count(*) FROM trips GROUP BY 1 ORDER BY 1")
    assert figures == [[day, f"{count:,}"] for day, count in days]
    first, last = sql("SELECT min(started), max(started) FROM trips")[0]
    note = "Pale: {} has rows only {} {}."
    for time, word in ((first, "from"), (last, "until")):
        clock = time[11:19].removesuffix(":00")
        expect(explorer.view.get_by_text(note.format(time[:10], word, clock))).to_be_visible()


def test_how_old_those_are_who_ride_far(explorer, sql):
    explorer.filter("metres", "is at least", "5 000")
    figures = drawn(explorer, "Histogram of rider.age", "rider.age")
    ages = sql(
        """SELECT "rider.age" / 5 * 5, count(*) FROM trips
        WHERE metres >= 5000 AND "rider.age" NOT NULL GROUP BY 1 ORDER BY 1"""
    )
    assert figures == [[f"{age} to {age + 4}", f"{count:,}"] for age, count in ages]
    [(unknown,)] = sql('SELECT count(*) FROM trips WHERE metres >= 5000 AND "rider.age" IS NULL')
    expect(explorer.view.get_by_text(f"{unknown} without a number left out")).to_be_visible()
