"""Tables whose charts are easily drawn so that they mislead, by formula."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
A_DAY = 432  # rows of a whole day, one every 200 seconds
CUT_DAY = 144
NAMES = 60


def _cut_day(n: int) -> dict[str, Any]:
    """Return row `n` of nine whole days and the first hours of a tenth."""
    at = (BEGIN + timedelta(seconds=200 * n)).isoformat()[:19]
    return {"at": f"{at}Z", "load": n % 50 / 10}


def _epochs(n: int) -> dict[str, Any]:
    begin = int(BEGIN.timestamp()) + n * 3_600
    return {"created": begin, "updatedAt": begin * 1_000 + 7, "bytes": begin, "bytes_sent": begin}


def _tenths(n: int) -> dict[str, Any]:
    """Return a row with a number of one decimal, and one that a data frame with nulls makes a float."""
    return {"mag": n % 12 / 10, "doors": float(n % 4) if n % 5 else None, "p": 10.0 ** -(n % 12)}


# Times as programs other than ours write them, each in the zone of the first.
TIMES = {
    "git": lambda at: f"{at:%Y-%m-%d %H:%M:%S} +0200",
    "bigquery": lambda at: f"{at:%Y-%m-%d %H:%M:%S} UTC",
    "postgres": lambda at: f"{at:%Y-%m-%d %H:%M:%S}+00",
    "slashes": lambda at: f"{at:%Y/%m/%d %H:%M}",
    "micros": lambda at: at.isoformat()[:19] + ".999999",
    "logged": lambda at: f"{at:%Y-%m-%d %H:%M:%S},123",
    "message_ts": lambda at: f"{at.timestamp():.0f}.123456",
    "measured_at": lambda at: at.timestamp() + 0.1237,
}
WITHOUT_ZONE = ("slashes", "micros", "logged")
TIMES_A_DAY = 24


def _times(n: int) -> dict[str, Any]:
    """Return row `n`, one an hour, each at the last second of the hour."""
    at = BEGIN + timedelta(hours=n, minutes=59, seconds=59)
    gaps = "" if n % 5 == 0 else f"{at:%Y-%m-%dT%H:%M:%SZ}"
    return {**{name: spelled(at) for name, spelled in TIMES.items()}, "gaps": gaps}


FIRST_SPARSE, EVERY_SPARSE = 137, 500


def _sparse(n: int) -> dict[str, Any]:
    """Return row `n`. One row of each 500 has what the others lack, and no sample meets it."""
    at = f"{BEGIN:%Y-%m-%dT%H:%M:%SZ}"
    if n % EVERY_SPARSE == FIRST_SPARSE:
        return {"id": n, "milestone": {"title": "v1"}, "closed": at, "p": {"a": n, "b": 2 * n}}
    return {"id": n, "milestone": None, "closed": None, "p": {"a": n}}


def _prices(n: int) -> dict[str, Any]:
    """Return a row with decimals that are texts, as of a database."""
    return {"price": f"{500 + n % 600}.50", "id": n, "low": n % 97, "high": n % 97}


def _years(n: int) -> dict[str, Any]:
    return {"Year": 1950 + n % 33, "weight": 10_000 + n * 137 % 40_000, "few": n % 3, "one": 2013}


def _names(n: int) -> dict[str, Any]:
    """Return a row with a name; name k comes k + 1 times in each round of NAMES * (NAMES + 1) / 2."""
    place, name = n % (NAMES * (NAMES + 1) // 2), 0
    while place > name:
        place, name = place - name - 1, name + 1
    return {
        "name": f"{name:02d} a very long name of a station on the northern line",
        "n": n,
        "people": 1_234_567 * n,
        "share": 100_000 + n / 7 if n % 10 else None,
    }


def _months(n: int) -> dict[str, Any]:
    """Return row `n` of a year, one every four hours, and of the first hours of the next year. A text
    of a value is empty, or blank."""
    at = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=4 * n)
    return {"at": at.isoformat(sep=" ")[:19], "state": ("open", "", "  ")[n % 3]}


def _gap(n: int) -> dict[str, Any]:
    """Return row `n`, one every 200 seconds, of five days, and of five more after a week without rows."""
    at = BEGIN + timedelta(seconds=200 * n, days=7 if n >= 5 * A_DAY else 0)
    return {"at": at.isoformat(sep=" ")[:19], "load": n % 7}


TABLES = {
    "gap": [_gap(n) for n in range(10 * A_DAY)],
    "cut day": [_cut_day(n) for n in range(9 * A_DAY + CUT_DAY)],
    "months": [_months(n) for n in range(365 * 6 + 2)],
    "epochs": [_epochs(n) for n in range(720)],
    "tenths": [_tenths(n) for n in range(1_200)],
    "times": [_times(n) for n in range(24 * TIMES_A_DAY)],
    "sparse": [_sparse(n) for n in range(10_000)],
    "prices": [_prices(n) for n in range(1_200)],
    "cut bins": [{"n": n} for n in range(60, 5_510)],
    "years": [_years(n) for n in range(990)],
    "names": [_names(n) for n in range(1_830)],
}
