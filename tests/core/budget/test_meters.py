"""Both meters on texts of every kind: the estimate against the exact count."""

import base64
import json
import random
import re
import string
import uuid
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.budget.estimate import EstimateMeter
from penstock.core.budget.measure import LONGEST_TOKEN, O200kMeter, pieces

CORPUS = {
    path.name: path.read_text(encoding="utf-8")
    for path in (Path(__file__).parents[2] / "corpus").glob("*.txt")
}
EXACT = O200kMeter()
ESTIMATE = EstimateMeter()

COMPACT = (",", ":")
WORDS = re.findall(
    r"\w+",
    "account address amount author branch category channel client comment company country created "
    "currency customer delivery description device discount email enabled error event expires file "
    "history invoice label language latitude message notes number order owner payment pipeline "
    "product quantity query region request response result section serial server session severity "
    "status subject summary target template threshold timestamp total tracking updated warehouse",
)


def compact(value):
    return json.dumps(value, separators=COMPACT)


def records(chance, count=40):
    keys = ["_".join(chance.sample(WORDS, chance.randint(1, 3))) for _ in range(6)]
    return [{"id": row, **{key: scalar(chance) for key in keys}} for row in range(count)]


def scalar(chance):
    return chance.choice(
        [
            chance.randint(0, 10**9),
            chance.uniform(-1000, 1000),
            " ".join(chance.choices(WORDS, k=8)).capitalize() + ".",
            str(uuid.UUID(int=chance.getrandbits(128))),
            chance.choice([True, False, None]),
            f"2026-03-{chance.randint(1, 28):02}T12:00:00Z",
            chance.sample(WORDS, 3),
            {chance.choice(WORDS): chance.choice(WORDS)},
            f"https://example.org/{chance.choice(WORDS)}/{chance.randint(1, 9999)}",
        ]
    )


def json_texts():
    chance = random.Random(7)
    rows = records(chance)
    text = {"content": [{"type": "text", "text": compact(rows)}]}
    indented = {"content": [{"type": "text", "text": json.dumps(rows, indent=2)}]}
    return {
        "compact": compact(rows),
        "pretty": json.dumps(rows, indent=2),
        "spaced": json.dumps(rows),
        "escaped": compact(text),
        "escaped pretty": compact(indented),
        "escaped twice": compact([compact(text)]),
        "floats": compact([chance.random() for _ in range(300)]),
        "big integers": compact([chance.getrandbits(128) for _ in range(200)]),
        "small integers": compact([chance.randint(-9, 99) for _ in range(300)]),
        "uuids": compact([str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(100)]),
        "hex": compact([chance.randbytes(20).hex() for _ in range(100)]),
        "base64": compact([base64.b64encode(chance.randbytes(60)).decode() for _ in range(50)]),
        "literals": compact([chance.choice([True, False, None]) for _ in range(300)]),
        "brackets": "[" * 100 + "]" * 100,
        "empties": compact([[], {}, "", [[]], {"a": {}}] * 30),
        "matrix": compact([[chance.randint(-9, 9) for _ in range(20)] for _ in range(20)]),
        "camel case": compact({"".join(map(str.title, chance.sample(WORDS, 3))): 1 for _ in WORDS}),
        "ascii escapes": json.dumps([CORPUS["russian.txt"], CORPUS["chinese.txt"]]),
        "log": compact(CORPUS["server.log.txt"].splitlines()),
        "code": compact([CORPUS["source.py.txt"], CORPUS["source.c.txt"], CORPUS["page.html.txt"]]),
        "english": compact([{"text": CORPUS["english.txt"]}]),
        "schema": CORPUS["schema.json.txt"],
        "names of the world": CORPUS["records_i18n.json.txt"],
    }


def random_texts():
    chance = random.Random(11)
    alphabets = {
        "lower": string.ascii_lowercase,
        "upper": string.ascii_uppercase,
        "alphanumeric": string.ascii_letters + string.digits,
        "printable": string.printable,
        "punctuation": string.punctuation,
        "white space": " \t\n\r",
        "controls": "".join(map(chr, range(32))),
        "latin 1": "".join(map(chr, range(32, 256))),
        "han": "".join(map(chr, range(0x4E00, 0x9FA5))),
        "hangul": "".join(map(chr, range(0xAC00, 0xD7A4))),
        "plane 0": "".join(map(chr, range(0x80, 0xD800))),
        "emoji": "".join(map(chr, range(0x1F300, 0x1FB00))),
        "other planes": "".join(map(chr, range(0x10000, 0x110000))),
        "quotes and backslashes": '\\"',
    }
    return {name: "".join(chance.choices(chars, k=2000)) for name, chars in alphabets.items()}


def runs():
    return {f"run of {char!r}": char * 500 for char in string.punctuation + " \n\t\r"}


JSON_TEXTS = json_texts()
ALL_TEXTS = {**CORPUS, **JSON_TEXTS, **random_texts(), **runs()}

any_text = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize("name", ALL_TEXTS)
def test_the_estimate_is_never_low_on_the_corpus(name):
    text = ALL_TEXTS[name]

    assert ESTIMATE.count(text) >= EXACT.count(text)


@pytest.mark.parametrize("name", JSON_TEXTS)
def test_the_estimate_is_at_most_half_above_on_json(name):
    text = JSON_TEXTS[name]

    assert ESTIMATE.count(text) <= 1.5 * EXACT.count(text)


@settings(max_examples=300)
@given(any_text)
def test_the_estimate_is_never_low_on_arbitrary_unicode(text):
    assert ESTIMATE.count(text) >= EXACT.count(text)


@pytest.mark.parametrize("meter", [EXACT, ESTIMATE], ids=lambda meter: meter.name)
@given(any_text, st.integers(-2, 60))
@example("", 0)
@example("", -1)
@example("a\ud800b", 1)
def test_exceeds_says_whether_the_count_is_over_the_limit(meter, text, limit):
    assert meter.exceeds(text, limit) == (meter.count(text) > limit)


@pytest.mark.parametrize("meter", [EXACT, ESTIMATE], ids=lambda meter: meter.name)
@pytest.mark.parametrize("name", ["compact", "chinese.txt", "run of ' '", "run of '='", "escaped"])
def test_exceeds_is_exact_at_the_limit_of_a_text_of_many_pieces(meter, name):
    text = ALL_TEXTS[name] * 40
    tokens = meter.count(text)

    assert not meter.exceeds(text, tokens)
    assert meter.exceeds(text, tokens - 1)


SPLIT_HAZARDS = st.text(
    st.sampled_from(
        "aAzB019 \t\n\r'\"/,.!-sStTlLdDmMrReEvV\u3042\u4e2d\u3002\uff0c\u0301\u00e9\u0416\u00a0\u2028\x1c\x85\u0660\u00b2"
    )
)


@settings(max_examples=500)
@given(st.one_of(SPLIT_HAZARDS, any_text), st.integers(1, 9))
@example("don't 12345, foo  bar\n\n  baz", 1)
def test_pieces_join_to_the_text_and_their_tokens_add_up(text, size):
    text = re.sub("[\ud800-\udfff]", "?", text)
    cut = list(pieces(text, size))

    assert "".join(cut) == text
    assert sum(map(EXACT._vocabulary.count, cut)) == EXACT._vocabulary.count(text)


def test_a_long_text_is_cut_into_pieces():
    assert max(map(len, pieces(JSON_TEXTS["compact"] * 20))) <= 32_768


def test_no_token_of_the_vocabulary_is_longer_than_the_bound():
    assert EXACT.count(" " * LONGEST_TOKEN) == 1
    lengths = (len(token.encode()) for token in vocabulary())
    assert max(lengths) == LONGEST_TOKEN


def vocabulary():
    """Yield tokens of whole characters. Others are parts of a character, so at most 3 bytes."""
    tokens = (EXACT._vocabulary.decode([number]) for number in range(199_998))
    return (token for token in tokens if token is not None)


def test_the_exact_meter_reads_lone_surrogates_as_replacement_characters():
    assert EXACT.count("a\udfffb") == EXACT.count("a\ufffdb")
