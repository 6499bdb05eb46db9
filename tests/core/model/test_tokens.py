"""A token is unguessable, carries a place, and is refused if one character differs."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.budget.measure import default_meter
from penstock.core.model.continuation import SECRET_BYTES, Position, Token, parse

SECRET = bytes(range(16))
PLACE = Position(row=40, page_size=20, mode="filtered", path="/a/b", filter_keys=("id", "é"))


@pytest.mark.parametrize("position", [b"", Position(row=1).pack(), PLACE.pack(), b"\x00" * 300])
def test_round_trip(position):
    token = Token(SECRET).at(position)
    assert parse(str(token)) == token
    assert token.key == Token(SECRET).key


def test_the_secret_has_at_least_128_bits():
    assert SECRET_BYTES * 8 >= 128
    assert str(Token(SECRET)).startswith("pen_")


@pytest.mark.parametrize("secret", [bytes(16), b"\xff" * 16, bytes(15) + b"\x01"])
def test_every_secret_has_a_text_of_its_own(secret):
    assert parse(str(Token(secret))) == Token(secret)


@given(st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES))
def test_every_token_costs_a_model_the_same(secret):
    text = str(Token(secret))
    assert len(text) == 43
    assert default_meter().count(text) == 15


def test_the_key_does_not_give_the_secret_away():
    assert SECRET.hex() not in Token(SECRET).key
    assert Token(SECRET).key != Token(SECRET[::-1]).key


@pytest.mark.parametrize("position", [b"", PLACE.pack()])
def test_any_changed_character_makes_another_token_or_none(position):
    """Without a position any secret is well-formed but unknown. With one, the mac fails."""
    text = str(Token(SECRET, position))
    for place, old in enumerate(text):
        for new in string.ascii_letters + string.digits + "-_.=+/ \n":
            if new == old:
                continue
            found = parse(text[:place] + new + text[place + 1 :])
            if position:
                assert found is None
            else:
                assert found is None or found.key != Token(SECRET).key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pen_",
        "pen_short",
        "PEN_" + "1" * 39,
        "pen_" + "1" * 38,
        "pen_" + "1" * 40,
        "pen_" + str(2**128),
        "pen_" + "9" * 39,
        "pen_+" + "1" * 38,
        "pen_" + "1_1" * 13,
        "pen_" + "1" * 39 + ".",
        "pen_" + "1" * 39 + "..",
        "pen_" + "1" * 39 + ".YQ",
        "pen_" + "é" * 39,
        "pen_" + "\u0661" * 39,  # a digit of another script
        str(Token(SECRET)) + "\n",
        " " + str(Token(SECRET)),
        str(Token(SECRET, PLACE.pack())) + "=",
        "pen_" + "a" * 10_000,
        "\ud800",
    ],
)
def test_what_is_no_token(text):
    assert parse(text) is None


def test_a_mac_of_another_secret_is_no_mac():
    one, other = str(Token(SECRET, b"ab")), str(Token(SECRET[::-1], b"ab"))
    assert parse(one.rsplit(".", 1)[0] + "." + other.rsplit(".", 1)[1]) is None


@pytest.mark.parametrize(
    "position",
    [Position(), Position(row=7), Position(offset=9), PLACE, Position(row=2**40, page_size=1_000)],
)
def test_positions_are_short_and_come_back(position):
    assert Position.unpack(position.pack()) == position
    assert len(Position(row=20, page_size=20).pack()) <= 4
    assert len(Position(row=20, page_size=20, row_form="auto").pack()) <= 9
