"""A token is unguessable, carries a place, and is refused if one character differs."""

from __future__ import annotations

import string

import pytest

from penstock.core.model.continuation import Position, Token, parse

SECRET = bytes(range(18))
PLACE = Position(row=40, page_size=20, mode="filtered", path="/a/b", filter_keys=("id", "é"))


@pytest.mark.parametrize("position", [b"", Position(row=1).pack(), PLACE.pack(), b"\x00" * 300])
def test_round_trip(position):
    token = Token(SECRET).at(position)
    assert parse(str(token)) == token
    assert token.key == Token(SECRET).key


def test_the_secret_has_at_least_128_bits():
    assert len(SECRET) * 8 >= 128
    assert str(Token(SECRET)).startswith("pen_")


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
        "PEN_" + "a" * 24,
        "pen_" + "a" * 25,
        "pen_" + "a" * 24 + ".",
        "pen_" + "a" * 24 + "..",
        "pen_" + "a" * 24 + ".YQ",
        "pen_" + "é" * 24,
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
