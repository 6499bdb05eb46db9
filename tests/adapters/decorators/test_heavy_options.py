"""Options of `@heavy`: each takes effect, and a bad one fails where it is written."""

import pytest
from doors import refused, run, sent, served, text_of, told

from penstock import InvalidSetting, Policy, heavy
from penstock.adapters.mcp import Penstock

ROWS = [{"id": number, "note": "x" * 50} for number in range(500)]


def rows() -> list[dict[str, object]]:
    """Rows."""
    return ROWS


def with_options(**options):
    def rows() -> list[dict[str, object]]:
        """Rows."""
        return ROWS

    return heavy(**options)(rows)


def test_budget(framework, era):
    async def scenario():
        async with served(framework, with_options(budget="2kB"), era=era) as client:
            token = (await told(client, "rows"))["continuation_token"]
            page = await client.call_tool(
                "rows", {"continuation_token": token, "mode": "paginated", "page_size": 400}
            )
            assert len(text_of(page)) < 2_000
            read = await client.call_tool(
                "read_result", {"continuation_token": token, "page_size": 400}
            )
            assert len(text_of(read)) < 2_000

    run(scenario)


def test_page_size(framework, era):
    async def scenario():
        async with served(framework, with_options(page_size=3), era=era) as client:
            token = (await told(client, "rows"))["continuation_token"]
            assert (await told(client, "rows", continuation_token=token))["items"] == ROWS[:3]
            assert (await told(client, "read_result", continuation_token=token))["items"] == ROWS[
                :3
            ]

    run(scenario)


def test_ttl(framework, era):
    async def scenario():
        async with served(framework, with_options(ttl=60), era=era) as client:
            assert (await told(client, "rows"))["expires_in"] == 60

    run(scenario)


def test_modes(framework, era):
    async def scenario():
        options = {"modes": ["paginated", "search"]}
        async with served(framework, with_options(**options), era=era, list_form="full") as client:
            listed = {tool.name: sent(tool) for tool in (await client.list_tools()).tools}
            mode = listed["rows"]["inputSchema"]["properties"]["mode"]
            assert mode["enum"] == ["search", "paginated"]
            probe = await told(client, "rows")
            assert probe["available_modes"] == ["search", "paginated"]
            token = probe["continuation_token"]
            wrong = await refused(client, "rows", continuation_token=token, mode="summary")
            assert "search, paginated" in wrong["error"] + wrong["next_step"]

    run(scenario)


def test_the_policy_has_the_last_word(framework):
    """The policy of the server overrides the options that the author of the tool gave."""

    async def scenario():
        settings = {"tools": {"rows": {"page_size": 4}}}
        async with served(framework, with_options(page_size=3), **settings) as client:
            token = (await told(client, "rows"))["continuation_token"]
            assert (await told(client, "rows", continuation_token=token))["items"] == ROWS[:4]

    run(scenario)


def test_heavy_without_the_decorator(framework):
    """The policy alone makes a tool heavy. The reader reads its result."""

    async def scenario():
        settings = {"tools": {"few": {"heavy": True}}}

        def few() -> list[dict[str, object]]:
            """Rows."""
            return ROWS[:30]

        async with served(framework, few, **settings) as client:
            assert (await told(client, "few"))["count"] == 30

    run(scenario)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"budget": "lots"}, "budget"),
        ({"budget": "10B"}, "budget"),
        ({"page_size": 0}, "page_size"),
        ({"page_size": "many"}, "page_size"),
        ({"page_size": 5_000}, "page_size"),
        ({"ttl": -1}, "ttl"),
        ({"ttl": "soon"}, "ttl"),
        ({"modes": ["everything"]}, "modes"),
        ({"modes": ["sql"]}, "modes"),
        ({"modes": []}, "modes"),
        ({"colour": "red"}, "colour"),
        ({"store": "memory:"}, "store"),
    ],
)
def test_bad_options_fail_at_once(options, named):
    with pytest.raises(InvalidSetting) as failed:
        heavy(**options)
    assert named in str(failed.value)


@pytest.mark.parametrize("given", ["10kB", 5, None, rows()])
def test_what_is_no_function_is_refused(given):
    if given is None:
        assert callable(heavy(given))
        return
    with pytest.raises(TypeError, match="@heavy takes a function"):
        heavy(given)


def test_a_policy_that_is_none_is_refused():
    with pytest.raises(InvalidSetting, match="policy"):
        Penstock("10kB")
    Penstock(Policy()).close()
