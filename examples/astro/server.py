"""An MCP server for mission analysis, with two tools whose large results come in two sizes.

`porkchop` returns a grid and `sgp4_propagate` a series. Both answer with a summary unless asked for
`output="full"`, which goes through Penstock. The small tools are unchanged.

    python examples/astro/server.py            over stdio
    python examples/astro/server.py --http 8000
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import anyio.from_thread
import anyio.to_thread
import porkchop as sweep
import propagation
import times
import tles
from lambert import Arc, NoArc
from lambert import lambert_solve as solve
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from porkchop import Transfer
from propagation import FailedEpoch, StateVector
from pydantic import Field
from times import Format, Moment, Scale
from tles import ElementSet

from penstock import Grid, Series, shaped
from penstock.adapters.mcp import Penstock

server = MCPServer("astro", middleware=[Penstock()])

# No tool changes anything, or reaches beyond the machine.
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Planet = Annotated[str, Field(description=f"One of {', '.join(sweep.PLANETS)}.")]
Date = Annotated[str, Field(description="ISO 8601, as 2026-11-14 or 2026-11-14T06:30.")]
Altitude = Annotated[float, Field(description="Of the circular orbit around that planet, km.")]
Position = Annotated[list[float], Field(min_length=3, max_length=3, description="x, y, z in km.")]
Line = Annotated[str, Field(description="69 characters, as tle_lookup gives it.")]

_catalogue = tles.BUNDLED


@contextmanager
def refusals() -> Iterator[None]:
    """Turn an error in the arguments into one that the agent reads and can correct."""
    try:
        yield
    except ValueError as error:
        raise ToolError(str(error)) from error


@server.tool(annotations=READS)
@shaped
async def porkchop(
    ctx: Context,
    departure_body: Planet,
    arrival_body: Planet,
    departure_start: Date,
    departure_end: Date,
    arrival_start: Date,
    arrival_end: Date,
    samples_per_axis: Annotated[int, Field(description="Dates in each window, 2 to 200.")] = 30,
    rank_by: Annotated[
        Literal["total_dv", "c3", "v_inf_arrival", "tof_days"],
        Field(description="The best transfer has least of it."),
    ] = "total_dv",
    min_tof_days: Annotated[float, Field(description="Shorter transfers are left out.")] = 30.0,
    departure_altitude_km: Altitude = 300.0,
    arrival_altitude_km: Altitude = 300.0,
) -> Grid[Transfer]:
    """Find launch windows: direct transfers between two planets for a grid of dates.

    Solves Lambert's problem for every departure and arrival date (TDB). c3 is in km²/s², speeds are
    in km/s; departure_dv and arrival_dv are impulses from and into circular orbits. For a finer
    answer narrow the windows around the best transfer and call again.
    """

    def report(done: int, total: int) -> None:
        # End the sweep if the call was cancelled, and wait until the client has the progress.
        anyio.from_thread.check_cancelled()
        anyio.from_thread.run(ctx.report_progress, done, total, f"{done} of {total} departures")

    with refusals():
        found = await anyio.to_thread.run_sync(
            partial(
                sweep.porkchop,
                departure_body,
                arrival_body,
                (departure_start, departure_end),
                (arrival_start, arrival_end),
                samples_per_axis=samples_per_axis,
                min_tof_days=min_tof_days,
                departure_altitude_km=departure_altitude_km,
                arrival_altitude_km=arrival_altitude_km,
                progress=report,
            )
        )
    return Grid(
        found.cells,
        rank_by=rank_by,
        rows=found.departures,
        columns=found.arrivals,
        row_name="departure",
        column_name="arrival",
    )


@server.tool(annotations=READS)
@shaped
def sgp4_propagate(
    line1: Line,
    line2: Line,
    hours: Annotated[float, Field(description="Length of the span; 0 for one state.")] = 24.0,
    step_minutes: float = 1.0,
    start: Annotated[
        str | None, Field(description="UTC, ISO 8601; default: the epoch of the elements.")
    ] = None,
) -> Series[StateVector | FailedEpoch]:
    """Propagate a satellite from its two-line elements (SGP4).

    Position in km and velocity in km/s, in TEME. The error is about 1 km at the epoch of the
    elements, and grows by 1 to 3 km a day. An epoch without a state says why.
    """
    with refusals():
        states = propagation.sgp4_propagate(line1, line2, start, hours, step_minutes)
    return Series(states, axis="epoch", name="states", value="distance_km")


@server.tool(annotations=READS)
def tle_lookup(
    query: Annotated[str, Field(description="Catalogue number, or a part of the name.")],
) -> list[ElementSet]:
    """Look up the two-line elements of a satellite, newest first. Mind their epoch."""
    with refusals():
        return tles.tle_lookup(query, _catalogue)


@server.tool(annotations=READS)
def time_convert(
    value: Annotated[str | float, Field(description="As from_format says.")],
    from_format: Format = "iso",
    to_format: Format = "iso",
    from_scale: Annotated[Scale | None, Field(description="UTC if left out.")] = None,
    to_scale: Annotated[Scale | None, Field(description="UTC if left out.")] = None,
) -> Moment:
    """Write a moment in another time scale or notation. unix and gps take no scale."""
    with refusals():
        return times.time_convert(value, from_format, to_format, from_scale, to_scale)


@server.tool(annotations=READS)
def lambert_solve(
    r1: Position,
    r2: Position,
    tof_seconds: float,
    mu: Annotated[
        float, Field(description="Of the central body, km³/s²: Earth 398600.4418, Sun 1.327124e11.")
    ],
    prograde: Annotated[bool, Field(description="With the z axis.")] = True,
    revolutions: Annotated[int, Field(ge=0, description="Full turns before arrival.")] = 0,
    low_path: Annotated[
        bool, Field(description="With revolutions: the larger of two orbits.")
    ] = True,
) -> Arc:
    """Solve Lambert's problem: the velocities (km/s) that lead from r1 to r2 in the time given."""
    with refusals():
        found = solve(
            r1, r2, tof_seconds, mu, prograde=prograde, revolutions=revolutions, low_path=low_path
        )
    if isinstance(found, NoArc):
        raise ToolError(f"There is no such transfer: {found.reason}")
    return found


def main() -> None:
    global _catalogue  # noqa: PLW0603 - set once, before the server starts
    parser = argparse.ArgumentParser(description="Mission analysis as an MCP server.")
    parser.add_argument("--http", type=int, metavar="PORT", help="serve HTTP, on this machine only")
    parser.add_argument("--tles", type=Path, metavar="FILE", help="a file of your own element sets")
    options = parser.parse_args()
    if options.tles is not None:
        try:
            tles.read_catalogue(options.tles)
        except (OSError, ValueError) as error:
            parser.error(f"--tles: {error}")
        _catalogue = options.tles
    if options.http is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=options.http)


if __name__ == "__main__":
    main()
