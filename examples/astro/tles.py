"""Two-line element sets: a reader that checks every column, and a search in a file of them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from epochs import DAY, J2000, J2000_JD, written
from sgp4.api import Satrec

BUNDLED: Final = Path(__file__).parent / "data" / "catalogue.tle"
LENGTH: Final = 69
MOST_MATCHES: Final = 20


@dataclass(frozen=True, slots=True)
class ElementSet:
    name: str
    catalogue_number: int
    designator: str
    """The international one: the year of launch, its number, the piece."""
    epoch: str
    inclination_deg: float
    eccentricity: float
    revolutions_per_day: float
    line1: str
    line2: str


def tle_lookup(query: str, catalogue: Path = BUNDLED) -> list[ElementSet]:
    """Find element sets by catalogue number, or by a part of the name in any case; newest first."""
    wanted = query.strip()
    if not wanted:
        raise ValueError("The query is empty: give a catalogue number or a part of a name.")
    everything = read_catalogue(catalogue)
    if wanted.isdecimal():
        found = [each for each in everything if each.catalogue_number == int(wanted)]
    else:
        found = [each for each in everything if wanted.casefold() in each.name.casefold()]
    if not found:
        raise ValueError(_nothing(wanted, everything))
    if len(found) > MOST_MATCHES:
        raise ValueError(
            f"{len(found)} names contain {wanted!r}, more than {MOST_MATCHES}: be more exact."
        )
    return sorted(found, key=lambda each: each.epoch, reverse=True)


@lru_cache(maxsize=8)
def read_catalogue(path: Path) -> tuple[ElementSet, ...]:
    """Read a file with a name and two lines for each object; a # starts a comment."""
    lines = [line.rstrip() for line in path.read_text("utf-8").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if len(lines) % 3:
        raise ValueError(f"{path.name} is not made of a name and two lines for each object.")
    return tuple(
        parse_tle(lines[n + 1], lines[n + 2], lines[n].strip()) for n in range(0, len(lines), 3)
    )


def parse_tle(line1: str, line2: str, name: str = "") -> ElementSet:
    line1, line2 = line1.rstrip(), line2.rstrip()
    for number, line in ((1, line1), (2, line2)):
        _check_line(number, line)
    if line1[2:7] != line2[2:7]:
        raise ValueError(
            f"The lines belong to two objects: {line1[2:7].strip()} and {line2[2:7].strip()}."
        )
    satellite = satellite_of(line1, line2)
    return ElementSet(
        name=name or f"OBJECT {line1[2:7].strip()}",
        catalogue_number=satellite.satnum,
        designator=line1[9:17].strip(),
        epoch=_epoch(satellite),
        inclination_deg=float(line2[8:16]),
        eccentricity=float(f"0.{line2[26:33].strip()}"),
        revolutions_per_day=float(line2[52:63]),
        line1=line1,
        line2=line2,
    )


def satellite_of(line1: str, line2: str) -> Satrec:
    """Make a satellite of checked lines: sgp4 itself silently takes a broken line."""
    return Satrec.twoline2rv(line1, line2)


def checksum(line: str) -> int:
    """Return the checksum of the first 68 columns: digits count themselves, a minus sign 1."""
    return sum(int(c) if c.isdecimal() else c == "-" for c in line[: LENGTH - 1]) % 10


# The places of the numbers: columns of a Python slice, by line.
_NUMBERS: Final = {
    1: {"epoch year": (18, 20), "epoch day": (20, 32), "first derivative": (33, 43)},
    2: {
        "inclination": (8, 16),
        "ascending node": (17, 25),
        "eccentricity": (26, 33),
        "argument of perigee": (34, 42),
        "mean anomaly": (43, 51),
        "mean motion": (52, 63),
    },
}


def _check_line(number: int, line: str) -> None:
    if not line.isascii():
        raise ValueError(f"Line {number} has characters that are not ASCII.")
    if len(line) != LENGTH:
        raise ValueError(f"Line {number} has {len(line)} characters, not {LENGTH}: {line!r}")
    if not line.startswith(f"{number} "):
        raise ValueError(f"Line {number} starts with {line[:2]!r}, not with '{number} '.")
    given, right = line[-1], checksum(line)
    if given != str(right):
        raise ValueError(
            f"Line {number} has the checksum {given} where its columns add up to {right}: "
            "a character was lost or changed."
        )
    for what, (start, end) in _NUMBERS[number].items():
        text = line[start:end].strip()
        try:
            float(text)
        except ValueError:
            raise ValueError(
                f"Line {number}, columns {start + 1} to {end}: the {what} is {text!r}, not a number."
            ) from None


def _epoch(satellite: Satrec) -> str:
    days = (satellite.jdsatepoch - J2000_JD) + satellite.jdsatepochF
    return written(J2000 + DAY * days)


def _nothing(wanted: str, everything: tuple[ElementSet, ...]) -> str:
    if wanted.isdecimal():
        return f"No object of {len(everything)} has the catalogue number {wanted}."
    names = {each.name.casefold(): each.name for each in everything}
    close = difflib.get_close_matches(wanted.casefold(), names, n=3, cutoff=0.4)
    hint = f" Near it: {', '.join(names[name] for name in close)}." if close else ""
    return f"No name of {len(everything)} contains {wanted!r}.{hint}"
