"""`search` ignores case, and finds exactly the rows, lines and leaves that contain a text."""

from agent import agent_in, told
from exactly import Pairs, render
from hypothesis import given
from hypothesis import strategies as st
from strategies import Given, Scene, given_results, scenes
from walking import pages

from penstock.core.results.document import read_json

NEEDLES = ("a", "A", "error", "ERROR W", "ß", "SS", "İ", "数据", "😀", '"', "\\", "1", "null", "true",
           "ς", "Σ", "~#", "entry 1", "\n", "0.1", "e5")  # fmt: skip

LONG, LARGE_ROW = 200, 600  # characters of a text, bytes of a row


def _contains(text: str, needle: str) -> bool:
    return needle.casefold() in text.casefold()


def _leaf(value) -> str:
    return value if isinstance(value, str) else render(value)


def _in_text(text: str, needle: str) -> int:
    """Return the number of matches: in a long text each occurrence, otherwise the text itself."""
    occurrences = text.casefold().count(needle.casefold())
    return occurrences if len(text) > LONG else min(occurrences, 1)


def _nested(value, needle: str) -> int:
    """Return how many keys contain `needle`, and how many matches there are in the leaves."""
    if isinstance(value, Pairs):
        keys = sum(_contains(name, needle) for name in value.names)
        return keys + sum(_nested(item, needle) for _, item in value.entries)
    if isinstance(value, list):
        return sum(_nested(item, needle) for item in value)
    return _in_text(_leaf(value), needle)


def _long_leaves(value) -> list[str]:
    if isinstance(value, Pairs):
        return [leaf for _, item in value.entries for leaf in _long_leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _long_leaves(item)]
    return [_leaf(value)] if len(_leaf(value)) > LONG else []


def _in_row(row, needle: str, *, ascii_only: bool) -> int:
    """Return 1 for a row with a match, and in a large row 1 for each occurrence in a long string."""
    total = _nested(row, needle)
    if len(render(row, ascii_only=ascii_only).encode()) <= LARGE_ROW:
        return min(total, 1)
    occurrences = sum(_in_text(leaf, needle) for leaf in _long_leaves(row))
    return occurrences + min(total - occurrences, 1)


def _expected(given: Given, needle: str) -> int:
    stored = given.stored
    if isinstance(stored, list):
        return sum(_in_row(row, needle, ascii_only=given.ascii_only) for row in stored)
    if not isinstance(stored, Pairs):
        lines = _leaf(stored).split("\n")
        return sum(_in_text(line.removesuffix("\r"), needle) for line in lines)
    document = read_json(render(stored, ascii_only=given.ascii_only).encode())
    if not document.list_path:
        return _nested(stored, needle)
    (rows,) = (value for _, value in stored.entries if isinstance(value, list))
    beside = Pairs(tuple((name, [] if value is rows else value) for name, value in stored.entries))
    inside = sum(_in_row(row, needle, ascii_only=given.ascii_only) for row in rows)
    return inside + _nested(beside, needle)


@given(given_results(), scenes(), st.sampled_from(NEEDLES))
def test_search_finds_exactly_what_is_there(given: Given, scene: Scene, needle: str):
    agent = agent_in(scene, ascii_only=given.ascii_only, heavy=True)
    probe = told(agent.first(given.result))
    if "search" not in probe.get("available_modes", []):
        return
    found = list(pages(agent, probe["continuation_token"], mode="search", query=needle))
    assert int(found[0]["total"]) == _expected(given, needle)
    assert sum(len(page["items"]) for page in found) == int(found[0]["total"])


@given(given_results(), scenes(), st.sampled_from(NEEDLES))
def test_every_hit_leads_to_what_was_found(given: Given, scene: Scene, needle: str):
    agent = agent_in(scene, heavy=True)
    probe = told(agent.first(given.result))
    if "search" not in probe.get("available_modes", []):
        return
    token = probe["continuation_token"]
    for page in pages(agent, token, mode="search", query=needle):
        for hit in page["items"]:
            path = hit.last("path") if "path" in hit.names else ""
            if path and not path.endswith("/…"):
                assert not agent.read(token, path=path).is_error
