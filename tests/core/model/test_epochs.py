"""Numbers that are times: of our days, in a column whose name speaks of time."""

from __future__ import annotations

import pytest

from penstock.core.model.epochs import epoch_unit, speaks_of_time

NOW = 1_773_225_600


@pytest.mark.parametrize(
    ("column", "number", "unit"),
    [
        ("created", NOW, "seconds"),
        ("ts", NOW + 0.000_247, "seconds"),
        ("createdAt", NOW * 1_000, "milliseconds"),
        ("properties.time", NOW * 1_000, "milliseconds"),
        ("startTimeMillis", NOW * 1_000, "milliseconds"),
        ("UPDATED_AT", 4_102_444_799, "seconds"),
        ("time", 315_532_800_000, "milliseconds"),
        ("scheduled_ms", NOW * 1_000, "milliseconds"),
        ("price_updated_at", NOW, "seconds"),
        ("order.id.createdAt", NOW * 1_000, "milliseconds"),
    ],
)
def test_times(column, number, unit):
    assert epoch_unit(column, number) == unit


@pytest.mark.parametrize(
    ("column", "number"),
    [
        ("size", NOW),  # bytes
        ("start", 248_000_000),  # a position in a chromosome
        ("time", 3_600),  # a duration
        ("timestamp", 20_260_311),  # a day, spelled
        ("ts", 4_102_444_800),
        ("ts", NOW * 1_000_000),
        ("attempts", NOW),
        ("runtime_ms", NOW * 1_000),
        ("bytes_sent", NOW),
        ("packetsReceived", NOW),
        ("amount_due", NOW * 1_000),
        ("created_by", NOW),  # a number of a user
        ("", NOW),
    ],
)
def test_no_times(column, number):
    assert epoch_unit(column, number) is None


def test_words_are_whole():
    assert speaks_of_time("lastSeen")
    assert not speaks_of_time("sentiment")
    assert not speaks_of_time("category")
