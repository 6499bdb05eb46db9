"""A made-up fleet, always the same for the same seed.

Nothing here knows of Django: the command `seed_fleet` puts these rows into the database.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import accumulate
from typing import Any, NamedTuple

Row = dict[str, Any]

# The day of the sample, whenever it is made.
TODAY = datetime(2026, 11, 1, 6, tzinfo=UTC)
LOG_STARTS = TODAY - timedelta(days=730)

CITIES = {
    "LYS": ("Lyon", "FR"), "MRS": ("Marseille", "FR"), "GVA": ("Geneva", "CH"),
    "ZRH": ("Zürich", "CH"), "TRN": ("Turin", "IT"), "NAP": ("Naples", "IT"),
    "HAM": ("Hamburg", "DE"), "LEJ": ("Leipzig", "DE"), "ROT": ("Rotterdam", "NL"),
    "ANR": ("Antwerp", "BE"), "BIO": ("Bilbao", "ES"), "VLC": ("Valencia", "ES"),
    "OPO": ("Porto", "PT"), "GDN": ("Gdańsk", "PL"), "KRK": ("Kraków", "PL"),
    "BRQ": ("Brno", "CZ"), "GOT": ("Göteborg", "SE"), "TRD": ("Trondheim", "NO"),
    "TMP": ("Tampere", "FI"), "AAR": ("Aarhus", "DK"), "ORK": ("Cork", "IE"),
    "GLA": ("Glasgow", "GB"), "LPL": ("Liverpool", "GB"), "SKG": ("Thessaloniki", "GR"),
}  # fmt: skip
PLACES = ("Depot", "Harbour", "Campus", "North", "Waterworks")


class Make(NamedTuple):
    """The properties of a kind of device."""

    share: int  # of 100 devices
    prefix: str
    watts: float  # mean
    firmware: tuple[str, ...]


MAKES = {
    "sensor": Make(46, "SN", 1.8, ("4.2.1", "4.2.0", "4.1.7", "3.9.12")),
    "meter": Make(21, "MT", 3.5, ("2.0.4", "2.0.3", "1.8.0")),
    "valve": Make(12, "VL", 24.0, ("1.3.3", "1.3.1")),
    "camera": Make(10, "CM", 12.5, ("7.1.0", "7.0.2", "6.4.9", "6.4.1")),
    "switch": Make(7, "SW", 65.0, ("15.2", "15.1", "12.4")),
    "gateway": Make(4, "GW", 18.0, ("5.0.0", "4.8.6")),
}
STATUSES = {"active": 9_340, "degraded": 310, "down": 140, "retired": 210}
NOTES = (
    "Mounted behind the pump; access needs a ladder.",
    "Moved from the old building. The label still shows the former room.",
    "Shares its supply with the lighting: off at night.",
    "Calibrated on site; certificate in the binder.",
    "Signal is weak when the gate is closed.",
)

TECHNICIANS = ("A. Moreau", "J. Novák", "S. Lindqvist", "M. Ferreira", "K. Wójcik", "E. Byrne")

# The needles that a search of the whole fleet must find.
RECALLED = 3
RECALL_NOTE = "Recalled by the maker: battery may swell. Do not charge."


def sites(seed: int) -> Iterator[Row]:
    """Yield 120 sites, five in each city."""
    dice = random.Random(f"sites {seed}")
    for code, (city, country) in CITIES.items():
        for number, place in enumerate(PLACES, 1):
            yield {
                "code": f"{code}-{number}",
                "name": f"{city} {place}",
                "city": city,
                "country": country,
                "opened": date(1998, 1, 1) + timedelta(days=dice.randrange(9_000)),
            }


def devices(count: int, seed: int) -> Iterator[Row]:
    """Yield devices, with the site's code as `site`. A few sites hold most, as in real fleets."""
    dice = random.Random(f"devices {seed}")
    codes = [site["code"] for site in sites(seed)]
    dice.shuffle(codes)
    size_of_sites = list(accumulate(1 / (rank + 4) for rank in range(len(codes))))
    recalled = set(dice.sample(range(count), RECALLED))
    for number in range(count):
        kind = dice.choices([*MAKES], [make.share for make in MAKES.values()])[0]
        status = dice.choices([*STATUSES], [*STATUSES.values()])[0]
        (site,) = dice.choices(codes, cum_weights=size_of_sites)
        yield _device(dice, number, kind, "recalled" if number in recalled else status, site)


def _device(dice: random.Random, number: int, kind: str, status: str, site: str) -> Row:
    make = MAKES[kind]
    newest_first = [1 / (age + 1) for age in range(len(make.firmware))]
    watts = max(dice.gauss(make.watts, make.watts / 6), 0.1)
    address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
    note = dice.choice(NOTES) if dice.random() < 0.2 else ""
    return {
        "asset_tag": f"{make.prefix}-{number:06d}",
        "name": f"{site.lower()}-{kind}-{number % 1_000:03d}",
        "serial": f"{dice.randrange(16**10):010X}",
        "kind": kind,
        "status": status,
        "site": site,
        "ip_address": None if status == "retired" else address,
        "firmware": dice.choices(make.firmware, newest_first)[0],
        "purchased": (TODAY - timedelta(days=dice.randrange(20, 3_600))).date(),
        "last_seen": _last_seen(dice, status),
        "power_watts": Decimal(f"{watts:.2f}"),
        "uuid": uuid.UUID(int=dice.getrandbits(128), version=4),
        "notes": RECALL_NOTE if status == "recalled" else note,
    }


def _last_seen(dice: random.Random, status: str) -> datetime | None:
    """Return a time in the last hour for a working device, in the last weeks if it is down."""
    if status == "retired":
        return None
    seconds = dice.randrange(3_600, 1_200_000) if status == "down" else dice.randrange(3_600)
    return TODAY - timedelta(seconds=seconds)


def events(of: list[Row], seed: int) -> Iterator[Row]:
    """Yield events of the last two years, with the asset tag as `device`."""
    dice = random.Random(f"events {seed}")
    for device in of:
        installed = datetime.combine(device["purchased"], TODAY.timetz()) + timedelta(days=14)
        if installed > LOG_STARTS:
            yield _event(dice, device, "installed", installed)
        if device["status"] in ("down", "recalled"):
            yield _event(dice, device, "fault", device["last_seen"])
        elif dice.random() < 0.1:
            start = max(installed, LOG_STARTS)
            happened = start + dice.random() * (TODAY - start)
            yield _event(dice, device, dice.choice(("inspected", "repaired")), happened)


def _event(dice: random.Random, device: Row, kind: str, happened: datetime) -> Row:
    return {
        "device": device["asset_tag"],
        "kind": kind,
        "happened": happened.replace(microsecond=0),
        "technician": "" if kind == "fault" else dice.choice(TECHNICIANS),
        "notes": "Does not answer." if kind == "fault" else "",
    }
