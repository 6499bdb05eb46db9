"""Every part of the original comes back, once, in order and to the last digit."""

from agent import agent_in, told
from exactly import Number, Pairs, exactly, is_projection
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    EXACT,
    HALF,
    RARELY,
    SELDOM,
    Given,
    Living,
    Scene,
    documents,
    given_results,
    is_half,
    living,
    scenes,
    structured,
)
from walking import compare, compare_first_page, pages, read_page, stub_path

from penstock.core.budget.budget import Budget
from penstock.core.model.values import Frame

CEILING = Budget(bytes=50_000_000)
FORMS = ("objects", "table")


def token_of(agent, given: Given) -> str | None:
    """Return the token of the probe, or None if the result is smaller than its probe."""
    reply = agent.first(given.result)
    token = told(reply).get("continuation_token")
    return token if "available_modes" in told(reply) else None


@given(given_results(), scenes(), st.sampled_from((1, 3, 20, 1_000)), st.sampled_from(FORMS))
@HALF
def test_pages_put_together_give_the_original(
    given: Given, scene: Scene, page_size: int, form: str
):
    settings = {"page_size": page_size, "row_form": form}
    agent = agent_in(scene, ascii_only=given.ascii_only, heavy=True, **settings)
    token = token_of(agent, given)
    if token is not None:
        compare(agent, token, "", given.stored)


@given(given_results(), scenes(), st.integers(3, 30))
@SELDOM
def test_going_back_from_the_end_ends_at_the_first_row(given: Given, scene: Scene, page_size: int):
    agent = agent_in(scene, page_size=page_size, heavy=True)
    token = token_of(agent, given)
    if token is None:
        return
    *_, page = pages(agent, token, mode="paginated")
    seen = 0
    while page["previous"] is not None:
        page = read_page(agent, page["previous"])
        seen += 1
        assert seen <= int(page["total"]) + 1
    assert page == read_page(agent, token, mode="paginated", page=1)


def test_a_list_under_half_a_surrogate_pair():
    rows = [Number(str(number)) for number in range(1_000)]
    agent = agent_in(Scene(Budget(bytes=1_000), Frame(), EXACT), ascii_only=True)
    given = structured(Pairs((("\ud800", rows),)), ascii_only=True)
    compare(agent, token_of(agent, given), "", given.stored)


@given(living(), scenes(), st.sampled_from((1, 3, 20, 1_000)), st.sampled_from(FORMS))
@RARELY
def test_live_pages_put_together_give_the_original(
    rows: Living, scene: Scene, page_size: int, form: str
):
    agent = agent_in(scene, page_size=page_size, row_form=form, hooks=rows.hooks())
    first = agent.first(rows.result(page_size))
    token = told(first)["continuation_token"]
    compare_first_page(agent, first, rows.rows)
    compare(agent, token, "", rows.rows)


@given(living(), scenes(), st.integers(0, 60), st.sampled_from((1, 3, 20)))
@SELDOM
def test_a_live_list_that_has_shrunk_ends_early(
    rows: Living, scene: Scene, still: int, page_size: int
):
    agent = agent_in(scene, page_size=page_size, hooks=rows.hooks(still))
    token = told(agent.first(rows.result(page_size)))["continuation_token"]
    left = rows.rows[:still]
    shown = [
        item for page in pages(agent, token, mode="paginated") for item in page.get("items", [])
    ]
    assert len(shown) == len(left)
    assert all(stub_path(item) or item == row for item, row in zip(shown, left, strict=True))


@given(given_results(), scenes())
def test_the_size_in_the_probe_is_what_full_sends(given: Given, scene: Scene):
    agent = agent_in(scene, heavy=True, ceiling=CEILING)
    probe = told(agent.first(given.result))
    if "available_modes" in probe:
        whole = agent.read(probe["continuation_token"], mode="full")
        assert len(whole.wire()) == probe["total_size"]
        assert (whole.text if given.is_text else exactly(whole.text)) == given.stored


@given(documents(), scenes(), st.sampled_from(FORMS), st.data())
def test_filtered_is_a_projection(document, scene: Scene, form: str, data):
    agent = agent_in(scene, heavy=True, row_form=form)
    token = token_of(agent, structured(document))
    if token is None or not isinstance(document, Pairs | list):
        return
    names = sorted(set(_names(document)))[:50] or ["none"]
    chosen = data.draw(st.lists(st.sampled_from([*names, "no such key"]), min_size=1, max_size=4))
    fields = {"mode": "filtered", "filter_keys": chosen}
    if agent.read(token, **fields).is_error:
        return  # the rows are not objects, or no token can carry the key
    first = read_page(agent, token, **fields)
    if "value" in first:
        assert is_projection(first["value"], document), (first["value"], chosen)
        return
    for page in pages(agent, token, **fields):
        for item in page["items"]:
            assert stub_path(item) or _is_part_of(item, document), (item, chosen)


def _names(document) -> list[str]:
    rows = [document, *document] if isinstance(document, list) else [document]
    rows += (
        [value for _, values in document.entries for value in _as_list(values)]
        if isinstance(document, Pairs)
        else []
    )
    return [name for row in rows if isinstance(row, Pairs) for name in row.names if _sendable(name)]


def _as_list(value) -> list:
    return value if isinstance(value, list) else [value]


def _sendable(name: str) -> bool:
    return bool(name) and not is_half(name)


def _is_part_of(item, document) -> bool:
    if isinstance(document, list):
        return any(is_projection(item, row) for row in document) or item == Pairs(())
    rows = [row for _, value in document.entries if isinstance(value, list) for row in value]
    if any(is_projection(item, row) for row in rows) or item == Pairs(()):
        return True
    key, value = item.last("key"), item.last("value")
    return stub_path(value) is not None or is_projection(Pairs(((key, value),)), document)
