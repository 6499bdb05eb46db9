"""Forged tokens: none opens anything, and each gets the same refusal, byte for byte."""

from base64 import urlsafe_b64encode

import pytest
from conversation import Conversation
from hypothesis import given
from hypothesis import strategies as st
from kept import every_kept
from mutations import spoilt_text
from relay_rig import compact

UNKNOWN = "pen_" + "1" * 39
# Digits of other scripts, which \d matches unless it is told not to.
DIGITS = tuple("".join(chr(zero + n) for n in range(10)) for zero in (0x660, 0x966, 0xFF10))
ABSENT = ("", "@result:")  # no token, and a mistake that has an answer of its own


class Vault:
    """Two stored results, the tokens of their start and of a place in them, and the one refusal."""

    def __init__(self):
        self.conversation = Conversation()
        self.rig = self.conversation.rig
        self.tokens = [token for _ in range(2) for token in self._stored()]
        self.refusal = self.read(UNKNOWN)
        self.refused_reference = self.take(UNKNOWN)
        self.taken = compact(self.rig.call("take", value="plain text"))

    def _stored(self):
        first = self.conversation.token()
        return first, self.rig.read(first, mode="paginated", page_size=5)["next"]

    def read(self, token):
        return compact(self.rig.call("read_result", continuation_token=token))

    def take(self, token):
        return compact(self.rig.call("take", value=f"@result:{token}"))


@pytest.fixture(scope="module")
def vault():
    made = Vault()
    yield made
    made.conversation.close()


def in_other_digits(token, digits, count):
    return token[: 43 - count] + token[43 - count : 43].translate(
        {ord(str(number)): digit for number, digit in enumerate(digits)}
    ) + token[43:]  # fmt: skip


def placed(secret, position, mac):
    """Return a token that claims a place."""
    return f"{secret[:43]}.{urlsafe_b64encode(position).rstrip(b'=').decode()}.{mac}"


@st.composite
def forged(draw, tokens):
    """Return a token that differs from all of these."""
    token, other = draw(st.permutations(tokens).map(lambda order: order[:2]))
    number = int(token[4:43])
    return draw(
        st.one_of(
            spoilt_text(token),
            st.integers(1, len(token) - 1).map(lambda stop: token[:stop]),
            st.text(min_size=1, max_size=3).map(lambda more: token + more),
            st.sampled_from((token.upper(), token.title(), token.swapcase(), " " + token, token + "\n")),
            st.builds(in_other_digits, st.just(token), st.sampled_from(DIGITS), st.integers(1, 39)),
            st.integers(0, 127).map(lambda bit: f"pen_{number ^ 1 << bit:039d}" + token[43:]),
            st.sampled_from((2**128, 10**39 - 1, 10**40)).map(lambda n: f"pen_{number + n}"),
            st.binary(max_size=40).map(lambda position: placed(token, position, token[-12:])),
            st.just(token[:43] + other[43:]),
            st.sampled_from(("=", "==", "A", ".", ".x")).map(lambda end: token[:-13] + end + token[-13:]),
        )
    )  # fmt: skip


@given(st.data())
def test_a_forged_token_is_refused_like_an_unknown_one(vault, data):
    token = data.draw(forged(vault.tokens).filter(lambda made: made not in vault.tokens))
    if token.startswith(ABSENT[1]) or token in ABSENT:
        return
    assert vault.read(token) == vault.refusal
    if token.partition("#")[0] in vault.tokens:
        return  # a reference to a part of what the token opens
    vault.rig.up.clear()
    assert vault.take(token) in (vault.refused_reference, vault.taken)
    assert b"city" not in b"".join(vault.rig.up)


def test_the_refusal_is_the_known_one(vault):
    assert b"expired or not found" in vault.refusal
    assert b"expired or not found" in vault.refused_reference


@every_kept("tokens")
def test_kept_tokens(vault, kept):
    text = kept.decode().removesuffix("\n")
    for token in vault.tokens:
        made = (
            text.replace("$TOKEN", token)
            .replace("$SECRET", token[:43])
            .replace("$DIGITS", token[4:43])
        )
        assert vault.read(made) == vault.refusal


def test_tokens_that_are_whole_still_open(vault):
    for token in vault.tokens:
        assert b"city" in vault.read(token)
