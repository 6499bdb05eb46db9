"""Two results are joined through the reader, behind every door."""

from adapter_functions import rows
from doors import opened, refused, run, told
from shown_rows import shown_rows

JOIN = """SELECT count(*) AS n FROM result a JOIN other b ON a.id = b.id + 1 WHERE b.city = a.city
    OR b.id < 10"""


def expected(left, right):
    """Return what the statement counts, by Python."""
    ids = {row["id"]: row for row in left}
    pairs = ((ids.get(row["id"] + 1), row) for row in right)
    return sum(a is not None and (b["city"] == a["city"] or b["id"] < 10) for a, b in pairs)


def test_two_results_behind_every_door(door, era):
    async def scenario():
        async with opened(door, era, budget="4kB", list_form="full") as client:
            one = (await told(client, "rows", count=500))["continuation_token"]
            other = (await told(client, "rows", count=300))["continuation_token"]
            asked = {"continuation_token": one, "mode": "sql", "query": JOIN}
            answer = await told(client, "read_result", **asked, tables={"other": other})
            assert shown_rows(answer) == [{"n": expected(rows(500), rows(300))}]
            bad = await refused(client, "read_result", **asked, tables={"other": other[:-1] + "!"})
            assert bad["error"].startswith("Table 'other': Continuation token expired or not found")

    run(scenario)
