"""Times of the example server, against values that everybody knows; and that it stays offline."""

import math
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

for needed in ("astropy", "lamberthub", "sgp4"):
    if find_spec(needed) is None:  # not imported: the example does that in a way of its own
        pytest.skip(f"the astro example needs {needed}", allow_module_level=True)
ASTRO = Path(__file__).parents[2] / "examples" / "astro"
sys.path.insert(0, str(ASTRO))

from times import time_convert  # noqa: E402 - after its folder is on the path

KNOWN = [
    # J2000.0 by its definition, and what it is in other scales: TAI is 32.184 s behind TT, and UTC
    # was 32 s behind TAI.
    (("2000-01-01T12:00:00", "iso", "jd", "tt", "tt"), 2_451_545.0),
    (("2000-01-01T12:00:00", "iso", "mjd", "tt", "tt"), 51_544.5),
    ((2_451_545.0, "jd", "iso", "tt", "tai"), "2000-01-01T11:59:27.816000"),
    ((2_451_545.0, "jd", "iso", "tt", "utc"), "2000-01-01T11:58:55.816000Z"),
    # The GPS epoch, and the leap seconds since: 18 from 2017 on.
    ((0, "gps", "iso"), "1980-01-06T00:00:00.000000Z"),
    (("2017-01-01", "iso", "gps"), 1_167_264_018.0),
    (("2016-12-31T23:59:60Z", "iso", "gps"), 1_167_264_017.0),
    # The Unix epoch, and its first billion.
    (("1970-01-01", "iso", "unix"), 0.0),
    ((1_000_000_000, "unix", "iso"), "2001-09-09T01:46:40.000000Z"),
    # IAU SOFA, "Time scale and calendar tools", section 2.1 on: UTC to TDB and to UT1 at one date.
    (("2006-01-15T21:24:37.5", "iso", "iso", "utc", "tai"), "2006-01-15T21:25:10.500000"),
    (("2006-01-15T21:24:37.5", "iso", "iso", "utc", "tt"), "2006-01-15T21:25:42.684000"),
]


@pytest.mark.parametrize(("arguments", "right"), KNOWN)
def test_known_values(arguments, right):
    found = time_convert(*arguments)
    assert found.value == right
    assert type(found.value) is type(right)
    assert found.note == ""


def test_tdb_is_within_two_milliseconds_of_tt():
    """SOFA's cookbook has 21:25:42.684373 for this moment; the site moves it by microseconds."""
    found = time_convert("2006-01-15T21:24:37.5", to_scale="tdb")
    assert found.value[:20] == "2006-01-15T21:25:42."
    assert float(found.value[17:]) == pytest.approx(42.684373, abs=1e-5)


def test_ut1_is_measured():
    """SOFA's cookbook takes 0.3341 s for UT1-UTC at this moment: 21:24:37.834100."""
    found = time_convert("2006-01-15T21:24:37.5", to_scale="ut1")
    assert float(found.value[17:]) == pytest.approx(37.8341, abs=2e-4)
    assert time_convert(found.value, from_scale="ut1").value[:22] == "2006-01-15T21:24:37.50"


def test_a_julian_date_may_be_given_in_full():
    """A float has 40 µs of it: a string has it all."""
    assert time_convert("2451545.00000000001157", "jd", from_scale="tt", to_scale="tt").value == (
        "2000-01-01T12:00:00.000001"
    )


@pytest.mark.parametrize("value", ["1955-01-01", "2060-01-01"])
def test_where_utc_is_uncertain_the_answer_says_so(value):
    assert "UTC is uncertain here" in time_convert(value, to_scale="tt").note
    assert time_convert(value, from_scale="tt", to_scale="tdb").note == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tomorrow",), "value is 'tomorrow', which is not an ISO 8601 date"),
        (("2026-13-01",), "not an ISO 8601 date"),
        (("2026-11-14T06:30:00+01:00",), "an offset is not taken"),
        (("2026-11-14T06:30:00Z", "iso", "iso", "tt"), "the Z says UTC, where from_scale says tt"),
        (("x", "jd"), "not a finite number, as jd needs"),
        ((math.nan, "unix"), "not a finite number, as unix needs"),
        ((math.inf, "gps"), "not a finite number, as gps needs"),
        ((1e300, "jd"), "too far off"),
        (("2026-11-14", "iso", "stardate"), "to_format is 'stardate'. Known: iso, jd, mjd"),
        (("2026-11-14", "cal"), "from_format is 'cal'"),
        (("2026-11-14", "iso", "iso", "gmt"), "from_scale is 'gmt'. Known: utc, tai, tt, tdb, ut1"),
        ((0, "gps", "iso", "utc"), "gps is always counted in tai: leave from_scale out"),
        (("2026-11-14", "iso", "unix", None, "tai"), "leave to_scale out"),
        (("2060-01-01", "iso", "iso", None, "ut1"), "tables here do not cover that date"),
        (("1950-01-01", "iso", "iso", None, "ut1"), "tables here do not cover that date"),
    ],
)
def test_bad_input_is_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        time_convert(*arguments)


NO_SOCKETS = """
import socket

def refuse(*_arguments, **_options):
    raise SystemExit("a socket was opened")

socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse
"""

EVERYTHING = """
from porkchop import porkchop
from propagation import sgp4_propagate
from times import time_convert
from tles import tle_lookup

porkchop("earth", "mars", ("2060-01-01", "2060-06-01"), ("2061-01-01", "2061-06-01"), samples_per_axis=3)
iss = tle_lookup("ISS")[0]
sgp4_propagate(iss.line1, iss.line2, None, 1, 10)
time_convert("2026-11-14", to_scale="ut1")
time_convert("2060-01-01", to_format="gps")
try:
    time_convert("2060-01-01", to_scale="ut1")
except ValueError:
    print("done")
"""

AS_ASTROPY_DOES_BY_ITSELF = """
from astropy.time import Time
from astropy.utils import iers
iers.conf.auto_max_age = 10  # its tables look old to it
Time(Time.now().jd + 700, format="jd").ut1  # beyond what is predicted
"""


def run(code, tmp_path):
    """In a process of its own, which has no socket from the start and no cache of astropy's."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", NO_SOCKETS + code],
        env={"PYTHONPATH": str(ASTRO), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_nothing_opens_a_socket(tmp_path):
    ran = run(EVERYTHING, tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "done\n", "")


def test_a_socket_would_have_been_noticed(tmp_path):
    ran = run(AS_ASTROPY_DOES_BY_ITSELF, tmp_path)
    assert ran.returncode == 1
    assert "a socket was opened" in ran.stderr
