"""Lambert's problem in the example server: textbooks, the equations of motion, and refusals."""

import math
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

if find_spec("lamberthub") is None:  # not imported: the example does that in a way of its own
    pytest.skip("the astro example needs lamberthub", allow_module_level=True)
integrate = pytest.importorskip("scipy.integrate", reason="lamberthub comes with scipy")
ASTRO = Path(__file__).parents[2] / "examples" / "astro"
sys.path.insert(0, str(ASTRO))

from lambert import Arc, NoArc, lambert_solve  # noqa: E402 - after its folder is on the path

EARTH = 398_600.4418


def test_curtis_example_5_2():
    """Curtis, Orbital Mechanics for Engineering Students, with its mu and its five digits."""
    arc = lambert_solve((5_000, 10_000, 2_100), (-14_600, 2_500, 7_000), 3_600, 398_600)
    assert isinstance(arc, Arc)
    assert arc.v1 == pytest.approx((-5.9925, 1.9254, 3.2456), abs=5e-5)
    assert arc.v2 == pytest.approx((-3.3125, -4.1966, -0.38529), abs=5e-5)
    # From the same example: a = 20,003 km, e = 0.4335.
    assert arc.semi_major_axis_km == pytest.approx(20_003, rel=1e-4)
    assert arc.eccentricity == pytest.approx(0.4335, abs=5e-5)


def test_vallado_example_7_5():
    """Vallado, Fundamentals of Astrodynamics and Applications: 76 minutes, the short way."""
    arc = lambert_solve((15_945.34, 0, 0), (12_214.83899, 10_249.46731, 0), 76 * 60, EARTH)
    assert isinstance(arc, Arc)
    assert arc.v1 == pytest.approx((2.058913, 2.915965, 0), abs=2e-6)
    assert arc.v2 == pytest.approx((-3.451565, 0.910315, 0), abs=2e-6)
    assert arc.transfer_angle_deg == pytest.approx(40.0, abs=1e-4)


@pytest.mark.parametrize("prograde", [True, False])
@pytest.mark.parametrize(
    ("revolutions", "low_path", "hours"),
    [(0, True, 2), (0, True, 20), (1, True, 20), (1, False, 20), (2, True, 40), (2, False, 40)],
)
def test_the_orbit_arrives(prograde, revolutions, low_path, hours):
    """By integrating the motion, which knows nothing of Lambert."""
    r1, r2 = (9_000.0, 1_000.0, 2_000.0), (-7_000.0, 12_000.0, -1_500.0)
    arc = lambert_solve(
        r1, r2, hours * 3_600, EARTH, prograde=prograde, revolutions=revolutions, low_path=low_path
    )
    assert isinstance(arc, Arc)
    assert fly(r1, arc.v1, hours * 3_600) == pytest.approx((*r2, *arc.v2), abs=1e-4)
    assert (np.cross(r1, arc.v1)[2] > 0) == prograde


def test_the_low_path_leaves_lower_and_is_the_larger_orbit():
    r1 = (9_000, 1_000, 2_000)
    low, high = (
        lambert_solve(r1, (-7_000, 12_000, 0), 90_000, EARTH, revolutions=1, low_path=low)
        for low in (True, False)
    )
    assert isinstance(low, Arc)
    assert isinstance(high, Arc)
    assert np.dot(r1, low.v1) / math.hypot(*low.v1) < np.dot(r1, high.v1) / math.hypot(*high.v1)
    assert low.semi_major_axis_km > high.semi_major_axis_km


Coordinates = st.tuples(*[st.floats(-50_000, 50_000)] * 3).filter(lambda v: math.hypot(*v) > 7_000)


@settings(max_examples=300)
@given(Coordinates, Coordinates, st.floats(60, 500_000), st.booleans())
def test_energy_and_momentum_are_kept(r1, r2, seconds, prograde):
    arc = lambert_solve(r1, r2, seconds, EARTH, prograde=prograde)
    if isinstance(arc, NoArc):
        assert arc.reason
        return
    v1, v2 = np.array(arc.v1), np.array(arc.v2)
    energies = [v @ v / 2 - EARTH / math.hypot(*r) for r, v in ((r1, v1), (r2, v2))]
    assert energies[0] == pytest.approx(energies[1], rel=1e-6, abs=1e-6 * EARTH / math.hypot(*r1))
    momentum = np.cross(r1, v1)
    size = math.hypot(*r1) * math.hypot(*v1) + math.hypot(*r2) * math.hypot(*v2)
    assert np.cross(r2, v2) == pytest.approx(momentum, abs=1e-6 * size)


@pytest.mark.parametrize(
    ("r2", "seconds", "revolutions", "reason"),
    [
        ((-14_000, 0, 0), 3_600, 0, "one line"),
        ((14_000, 0, 0), 3_600, 0, "one line"),
        ((7_000, 0, 0), 3_600, 0, "one line"),
        ((0, 14_000, 0), 3_600, 3, "3 revolutions"),
    ],
)
def test_no_orbit_is_an_answer(r2, seconds, revolutions, reason):
    found = lambert_solve((7_000, 0, 0), r2, seconds, EARTH, revolutions=revolutions)
    assert isinstance(found, NoArc)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"r1": (0, 0, 0)}, "r1 is the centre"),
        ({"r1": (1, 2)}, "r1 must be three finite numbers"),
        ({"r2": (1, 2, math.nan)}, "r2 must be three finite numbers"),
        ({"tof_seconds": 0}, "tof_seconds is 0"),
        ({"tof_seconds": math.nan}, "tof_seconds is nan"),
        ({"mu": -1}, "mu is -1"),
        ({"mu": math.inf}, "mu is inf"),
        ({"revolutions": -1}, "revolutions is -1"),
    ],
)
def test_bad_input_is_named(changed, words):
    good = {"r1": (7_000, 0, 0), "r2": (0, 9_000, 0), "tof_seconds": 3_600, "mu": EARTH}
    with pytest.raises(ValueError, match=words):
        lambert_solve(**(good | changed))


def test_the_first_call_does_not_wait_for_a_compiler():
    """In a process of its own. That the recorder hears a compilation is seen first."""
    code = """
import lambert, numba
from numba.core import event
assert not numba.config.DISABLE_JIT, "others may compile"
with event.install_recorder("numba:compile") as heard:
    numba.njit(lambda number: number + 1)(1)
assert heard.buffer, "nothing is heard"
with event.install_recorder("numba:compile") as heard:
    lambert.lambert_solve((7000, 0, 0), (0, 9000, 0), 3600, 398600)
assert not heard.buffer, heard.buffer
"""
    subprocess.run([sys.executable, "-c", code], cwd=ASTRO, check=True, timeout=60)


def fly(position, velocity, seconds):
    def pull(_time, state):
        return (*state[3:], *(-EARTH / np.linalg.norm(state[:3]) ** 3 * state[:3]))

    flight = integrate.solve_ivp(
        pull, (0, seconds), (*position, *velocity), method="DOP853", rtol=1e-12, atol=1e-9
    )
    return tuple(flight.y[:, -1])
