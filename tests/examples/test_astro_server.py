"""The example server as a client sees it, in one process: two shaped tools and three small ones."""

import importlib.util
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

for needed in ("astropy", "lamberthub", "sgp4"):
    if importlib.util.find_spec(needed) is None:  # not imported: the example does that in its way
        pytest.skip(f"the astro example needs {needed}", allow_module_level=True)
pytest.importorskip("mcp.server.mcpserver", reason="the astro example needs the mcp extra")
penstock = pytest.importorskip("penstock")
pytest.importorskip("penstock.adapters.mcp", reason="the adapter for the SDK is not there")
if not hasattr(penstock, "shaped"):
    pytest.skip("penstock.shaped is not there", allow_module_level=True)

from mcp import Client, StdioServerParameters  # noqa: E402 - after the library was found
from mcp.client.stdio import stdio_client  # noqa: E402

ASTRO = Path(__file__).parents[2] / "examples" / "astro"
sys.path.insert(0, str(ASTRO))

WINDOW = {
    "departure_body": "earth",
    "arrival_body": "mars",
    "departure_start": "2026-09-15",
    "departure_end": "2026-12-15",
    "arrival_start": "2027-06-15",
    "arrival_end": "2027-11-01",
}
TRANSFER = {
    "departure", "arrival", "tof_days", "c3", "v_inf_arrival", "departure_dv", "arrival_dv",
    "total_dv",
}  # fmt: skip
ISS = (
    "1 25544U 98067A   19343.69339541  .00001764  00000-0  38792-4 0  9991",
    "2 25544  51.6439 211.2001 0007417  17.6667  85.6398 15.50103472202482",
)
SMALL = {"lambert_solve", "tle_lookup", "time_convert"}
# A summary stays under 2,000 tokens: at 3 bytes a token, numbers being dear.
SUMMARY_BYTES = 6_000


@pytest.fixture(scope="module")
def server():
    spec = importlib.util.spec_from_file_location("astro_server", ASTRO / "server.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["astro_server"] = module  # where dataclasses and type hints look for it
    spec.loader.exec_module(module)
    return module.server


@asynccontextmanager
async def connected(server):
    async with Client(server) as client:
        yield client


def call(server, tool, arguments, **options):
    async def run():
        async with connected(server) as client:
            return await client.call_tool(tool, arguments, **options)

    return anyio.run(run)


def answer(server, tool, arguments, **options):
    """Return what the model reads: a result goes out once, as structured content or as text."""
    result = call(server, tool, arguments, **options)
    assert not result.is_error, result.content
    return result.structured_content or json.loads(result.content[0].text)


def test_it_runs_as_the_readme_says(tmp_path):
    """Over stdio, with element sets of one's own."""
    mine = tmp_path / "mine.tle"
    mine.write_text(f"MY STATION\n{ISS[0]}\n{ISS[1]}\n")
    command = [str(ASTRO / "server.py"), "--tles", str(mine)]

    async def run():
        pipe = stdio_client(StdioServerParameters(command=sys.executable, args=command))
        async with Client(pipe) as client:
            return await client.call_tool("tle_lookup", {"query": "my st"})

    result = anyio.run(run)
    assert [each["name"] for each in result.structured_content["result"]] == ["MY STATION"]


def test_only_the_large_tools_have_an_output_parameter(server):
    async def run():
        async with connected(server) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    tools = anyio.run(run)
    assert set(tools) >= {"porkchop", "sgp4_propagate", *SMALL}
    for name in ("porkchop", "sgp4_propagate"):
        output = tools[name].input_schema["properties"]["output"]
        assert output["enum"] == ["summary", "full"]
        assert "ctx" not in tools[name].input_schema["properties"]
    for name in SMALL:
        assert "output" not in tools[name].input_schema["properties"]
    own = {tool.name: tool.input_schema["properties"] for tool in anyio.run(server.list_tools)}
    assert own["porkchop"]["output"]["default"] == "summary"


def test_what_the_tools_return_is_told_by_schemas_of_their_own(server):
    tools = {tool.name: tool.output_schema for tool in anyio.run(server.list_tools)}
    for name in ("porkchop", "sgp4_propagate"):
        forms = tools[name]["oneOf"]
        assert [form["properties"]["output"]["const"] for form in forms] == ["summary", "full"]
    assert set(tools["lambert_solve"]["required"]) >= {"v1", "v2", "eccentricity"}
    assert set(tools["time_convert"]["required"]) == {"value", "format", "scale", "note"}


def test_porkchop_in_both_forms(server):
    window = WINDOW | {"samples_per_axis": 6}
    summary = answer(server, "porkchop", window)
    assert summary["output"] == "summary"
    assert "grid" not in summary
    assert len(json.dumps(summary)) < SUMMARY_BYTES
    assert 1 <= len(summary["top_cells"]) <= 5
    assert summary["top_cells"][0] == summary["best"]
    assert set(summary["best"]) == TRANSFER
    costs = [cell["total_dv"] for cell in summary["top_cells"]]
    assert costs == sorted(costs)
    assert summary["ascii_summary"]

    full = answer(server, "porkchop", window | {"output": "full"})
    assert full["output"] == "full"
    assert "top_cells" not in full
    assert len(full["grid"]) == 36
    assert full["best"] == summary["best"]
    assert all(cell in full["grid"] for cell in summary["top_cells"])
    assert full["best"]["total_dv"] == min(cell["total_dv"] for cell in full["grid"])


def test_porkchop_ranks_by_what_it_is_asked_for(server):
    window = WINDOW | {"samples_per_axis": 20, "rank_by": "c3"}
    best = answer(server, "porkchop", window)["best"]
    assert best["c3"] == pytest.approx(9.144, rel=0.02)  # NASA/TM-2010-216764
    assert best["departure"][:7] in {"2026-10", "2026-11"}


def test_infeasible_cells_are_left_out(server):
    early = WINDOW | {"arrival_start": "2026-09-20", "samples_per_axis": 6, "output": "full"}
    assert 0 < len(answer(server, "porkchop", early)["grid"]) < 36


def test_progress_is_reported_by_the_row(server):
    told = []

    async def note(progress, total, message):
        told.append((progress, total, message))

    answer(server, "porkchop", WINDOW | {"samples_per_axis": 6}, progress_callback=note)
    assert [progress for progress, _, _ in told] == [1, 2, 3, 4, 5, 6]
    assert told[-1] == (6, 6, "6 of 6 departures")


def test_the_server_answers_during_a_sweep_and_a_cancelled_one_ends(server):
    async def run():
        rows = []

        async def note(progress, total, message):
            rows.append(progress)
            if progress == 2:
                begun.set()

        async def sweep():
            async with connected(server) as client:
                await client.call_tool(
                    "porkchop", WINDOW | {"samples_per_axis": 200}, progress_callback=note
                )

        begun = anyio.Event()
        async with anyio.create_task_group() as tasks, connected(server) as other:
            tasks.start_soon(sweep)
            with anyio.fail_after(60):
                await begun.wait()
                found = await other.call_tool("tle_lookup", {"query": "25544"})
            assert not found.is_error
            tasks.cancel_scope.cancel()
        return rows

    rows = anyio.run(run)
    assert 2 <= len(rows) < 200  # it had not ended


def test_a_day_of_states_in_both_forms(server):
    lines = {"line1": ISS[0], "line2": ISS[1], "hours": 24, "step_minutes": 1}
    summary = answer(server, "sgp4_propagate", lines)
    assert summary["output"] == "summary"
    assert 2 <= len(summary["states"]) <= 12
    assert len(json.dumps(summary)) < SUMMARY_BYTES
    assert summary["states"][0]["epoch"] == "2019-12-09T16:38:29.363Z"
    assert summary["states"][-1]["epoch"] == "2019-12-10T16:38:29.363Z"
    assert summary["total"] == 1_441

    # Half an hour in full fits into the budget, and agrees with the summary value for value.
    lines["hours"] = 0.5
    summary = answer(server, "sgp4_propagate", lines)
    full = answer(server, "sgp4_propagate", lines | {"output": "full"})
    assert full["output"] == "full"
    assert len(full["states"]) == 31
    assert all(state in full["states"] for state in summary["states"])


def test_a_day_in_full_does_not_flood_the_context(server):
    lines = {"line1": ISS[0], "line2": ISS[1], "output": "full"}
    result = call(server, "sgp4_propagate", lines)
    assert not result.is_error
    assert len(result.model_dump_json()) < 30_000  # of 247 kB; the budget is 25 kB


def test_epochs_without_a_state_are_in_the_series(server):
    stage = answer(server, "tle_lookup", {"query": "minotaur"})["result"][0]
    lines = {"line1": stage["line1"], "line2": stage["line2"], "hours": 2, "step_minutes": 10}
    full = answer(server, "sgp4_propagate", lines | {"output": "full"})
    assert len(full["states"]) == 13
    assert "decayed" in full["states"][-1]["error"]


def test_the_small_tools_answer_as_they_are(server):
    [newest, _] = answer(server, "tle_lookup", {"query": "ISS"})["result"]
    assert (newest["line1"], newest["line2"]) == ISS
    converted = answer(server, "time_convert", {"value": "2017-01-01", "to_format": "gps"})
    assert converted == {"value": 1_167_264_018.0, "format": "gps", "scale": "tai", "note": ""}
    solved = answer(
        server,
        "lambert_solve",
        {"r1": [5000, 10000, 2100], "r2": [-14600, 2500, 7000], "tof_seconds": 3600, "mu": 398600},
    )
    assert solved["v1"] == pytest.approx([-5.9925, 1.9254, 3.2456], abs=5e-5)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("porkchop", WINDOW | {"arrival_body": "vulcan"}, "no planet 'vulcan' here. Known: mercury"),
        ("porkchop", WINDOW | {"departure_end": "2026-01-01"}, "before its start"),
        ("porkchop", WINDOW | {"samples_per_axis": 999}, "2 to 200"),
        ("sgp4_propagate", {"line1": ISS[0], "line2": ISS[0]}, "Line 2 starts with '1 '"),
        ("sgp4_propagate", {"line1": ISS[0], "line2": ISS[1], "step_minutes": 0}, "more than 0"),
        ("tle_lookup", {"query": "molnija"}, "Near it: MOLNIYA"),
        ("time_convert", {"value": "soon"}, "not an ISO 8601 date"),
        (
            "lambert_solve",
            {"r1": [7000, 0, 0], "r2": [-7000, 0, 0], "tof_seconds": 3000, "mu": 398600},
            "no such transfer: r1 and r2 lie on one line",
        ),
    ],
)  # fmt: skip
def test_a_mistake_comes_back_as_a_sentence(server, tool, arguments, words):
    result = call(server, tool, arguments)
    assert result.is_error
    text = " ".join(block.text for block in result.content)
    assert words in text
    assert "Traceback" not in text
