"""One walk through everything that an agent does, recorded once for each door and era."""

from __future__ import annotations

from typing import Any

from doors import normal, opened, run, sent, value_of
from mcp import Client
from mcp.shared.exceptions import MCPError

SETTINGS = {"budget": "4kB", "ceiling": "8kB", "list_form": "full"}
REFUSAL = (
    "Continuation token expired or not found. "
    "Re-invoke without continuation_token to start a new negotiation."
)
_cache: dict[tuple[str, str], dict[str, Any]] = {}


def transcript(door: str, era: str) -> dict[str, Any]:
    """Return the reply to each step, as sent."""
    if (door, era) not in _cache:
        _cache[door, era] = run(lambda: _recorded(door, era))
    return _cache[door, era]


def normalised(door: str, era: str) -> dict[str, Any]:
    return {step: normal(reply) for step, reply in transcript(door, era).items()}


async def _recorded(door: str, era: str) -> dict[str, Any]:
    async with opened(door, era, **SETTINGS) as client:
        return await _Walk(client).everything()


class _Walk:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.steps: dict[str, Any] = {}

    async def call(self, step: str, tool: str, **arguments: Any) -> Any:
        result = await self._client.call_tool(tool, arguments)
        self.steps[step] = sent(result)
        return result

    async def read(self, step: str, token: str, **asked: Any) -> Any:
        return await self.call(step, "read_result", continuation_token=token, **asked)

    async def everything(self) -> dict[str, Any]:
        self.steps["list"] = sent(await self._client.list_tools())
        await self._small()
        token = value_of(await self.call("rows", "rows", count=500))["continuation_token"]
        await self._modes(token)
        await self._errors(token)
        await self._handed_on(token)
        await self._large(token)
        await self._texts()
        await self._names_like_ours()
        return self.steps

    async def _small(self) -> None:
        await self.call("small", "small", name="Ann")
        await self.call("few rows", "rows", count=3)
        await self.call("number", "number", value=7)
        await self.call("image", "image")
        await self.call("small error", "fail", size=1)
        await self.call("unknown tool", "nowhere")

    async def _modes(self, token: str) -> None:
        query = "SELECT city, count(*) AS n FROM result GROUP BY city ORDER BY city"
        await self.read("sql", token, mode="sql", query=query)
        await self.read("query", token, mode="query", query="map(.id) | add")
        await self.read("search", token, mode="search", query="köln")
        await self.read("summary", token, mode="summary")
        await self.read("filtered", token, mode="filtered", filter_keys=["id", "nothing"])
        await self.read("default mode", token)
        await self.read("path", token, mode="full", path="/7")
        await self.read("second page", token, mode="paginated", page=2, page_size=5)
        page = value_of(await self.read("page 1", token, mode="paginated", page_size=200))
        number = 1
        while page["has_more"]:
            number += 1
            page = value_of(await self.read(f"page {number}", page["next"]))

    async def _errors(self, token: str) -> None:
        await self.read("wrong token", "pen_111111111111111111111111111111111111111")
        await self.read("changed token", token[:-1] + ("A" if token[-1] != "A" else "B"))
        await self.read("no token of ours", "hello")
        await self.read("empty token", "")
        await self.read("unknown mode", token, mode="everything")
        await self.read("page past the end", token, mode="paginated", page=1_000)
        await self.read("page 0", token, page=0)
        await self.read("wrong type", token, page_size="many")
        await self.read("bad sql", token, mode="sql", query="DROP TABLE result")
        await self.read("no query", token, mode="sql")
        await self.read("no such path", token, mode="full", path="/9999")
        await self.read("unknown field", token, colour="red")

    async def _handed_on(self, token: str) -> None:
        await self.call("handed on", "total", items=f"@result:{token}")
        some = await self.read("derived", token, mode="sql", query="SELECT * FROM result LIMIT 9")
        derived = value_of(some)["continuation_token"]
        await self.call("derived handed on", "total", items=f"@result:{derived}")
        await self.call("as text", "length", text=f"@result:{token}#/7")
        await self.call(
            "bad reference", "total", items="@result:pen_111111111111111111111111111111111111111"
        )

    async def _large(self, token: str) -> None:
        """Read a result above the ceiling: the reply has a link to a resource with all of it."""
        result = await self.read("full above the ceiling", token, mode="full")
        links = [block for block in result.content if block.type == "resource_link"]
        assert len(links) == 1, result
        read = await self._client.read_resource(links[0].uri)
        self.steps["resource"] = sent(read)
        try:
            await self._client.read_resource("penstock://result/AAAAAAAAAAAAAAAAAAAAAAAA")
        except MCPError as error:
            self.steps["no resource"] = {"code": error.code, "message": error.message}
        few = value_of(await self.call("below the ceiling", "rows", count=100))
        await self.read("full", few["continuation_token"], mode="full")

    async def _texts(self) -> None:
        token = value_of(await self.call("log", "log", lines=1_000))["continuation_token"]
        await self.read("log searched", token, mode="search", query="error")
        await self.read("log summary", token, mode="summary")
        await self.read("log lines", token, mode="paginated", page=3)
        token = value_of(await self.call("config", "config", services=80))["continuation_token"]
        await self.read("config path", token, mode="full", path="/services/service~17")
        await self.read("config summary", token, mode="summary")
        await self.read("config by sql", token, mode="sql", path="/services",
                        query="SELECT max(port) AS m FROM result")  # fmt: skip
        failed = value_of(await self.call("large error", "fail", size=1_000))
        await self.read("large error read", failed["continuation_token"], mode="paginated")

    async def _names_like_ours(self) -> None:
        await self.call("own mode", "choose", mode="fast", query="x", page=7)
        large = value_of(await self.call("own mode, large", "choose", mode="fast", count=100))
        await self.read("own mode, read", large["continuation_token"], mode="paginated", page=2)
        await self.call("own token", "scroll", continuation_token="mine")  # noqa: S106 (no password)
        large = value_of(await self.call("own token, large", "scroll", count=100))
        await self.call(
            "ours as its own", "scroll", continuation_token=large["continuation_token"], count=1
        )
        await self.read("own token, read", large["continuation_token"])
