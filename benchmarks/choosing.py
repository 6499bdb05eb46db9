"""The choice of the right tool, for requests in users' words, among real servers' tools.

`find_tools` gets the user's words, and the few words that its description asks an agent for. Is the
right tool first, or among the few in the reply? (`requests.toml` says why the few words make the
result look better.) An embedding model stands for a model that chooses from a list. It gets each
tool's name with the full description, and with the description of the brief form. Brief may cost
at most 2 points. The number of requests lost and won is printed too, because few requests decide.

Each server is measured alone, and all as one, with the server's name before the names of its tools.
"""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from benchmarks.catalogues import collected
from benchmarks.lines import Line
from benchmarks.registry import embedding_python
from penstock import Policy
from penstock.core.budget.measure import O200kMeter
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.forms import Lister
from penstock.disclosure.search.find_tools import Finder

MOST_POINTS_LOST: Final = 2.0
_HERE: Final = Path(__file__).parent
_REQUESTS: Final = _HERE / "requests.toml"
_EMBEDDER: Final = _HERE / "embedder.py"

Words = Callable[["Request"], str]
Told = Callable[[Catalogue], dict[str, str]]
Wanted = Sequence[frozenset[str]]
Chosen = Sequence[Sequence[str]]


class Request(msgspec.Struct, frozen=True):
    """A request of a user, and the tools that can serve it."""

    server: str
    asked: str  # the user's words
    find: str  # the words with which an agent would look for a tool
    tools: frozenset[str]  # each of these is right


WORDINGS: Final[Mapping[str, Words]] = {
    "the user's words": lambda request: request.asked,
    "an agent's few words": lambda request: request.find,
}


class Choice(msgspec.Struct, frozen=True):
    """Requests, and the tools among which the right ones have to be found."""

    catalogue: Catalogue
    requests: list[Request]


@cache
def requests() -> list[Request]:
    tables = tomllib.loads(_REQUESTS.read_text(encoding="utf-8"))
    return [
        Request(server, asked, answer["find"], frozenset(answer["tools"]))
        for server, table in tables.items()
        for asked, answer in table.items()
    ]


def measure() -> Iterator[Line]:
    collection = collected()
    yield from collection.lines()
    known = [request for request in requests() if request.server in collection.catalogues]
    yield Line("requests to servers that were skipped", len(requests()) - len(known), unit="")
    apart = by_server(collection.catalogues, known)
    yield from _lines(f"{len(apart)} servers, each by itself", apart)
    yield from _lines("all servers as one", [together(collection.catalogues, known)])


def by_server(catalogues: Mapping[str, Catalogue], known: Sequence[Request]) -> list[Choice]:
    servers = dict.fromkeys(request.server for request in known)
    return [
        Choice(catalogues[server], [request for request in known if request.server == server])
        for server in servers
    ]


def together(catalogues: Mapping[str, Catalogue], known: Sequence[Request]) -> Choice:
    """Return all servers as one, as a gateway in front of them would list their tools."""
    tools = [
        {**tool.listed, "name": f"{server}__{tool.name}"}
        for server, catalogue in catalogues.items()
        for tool in catalogue
    ]
    renamed = [
        msgspec.structs.replace(
            request, tools=frozenset(f"{request.server}__{name}" for name in request.tools)
        )
        for request in known
    ]
    return Choice(Catalogue.from_tools(tools), renamed)


def _lines(what: str, choices: Sequence[Choice]) -> Iterator[Line]:
    tools = sum(len(choice.catalogue) for choice in choices)
    wanted = [request.tools for choice in choices for request in choice.requests]
    yield Line(f"{what}: {len(wanted)} requests, {tools:,} tools", len(wanted), unit="")
    for whose, words in WORDINGS.items():
        found = [names for choice in choices for names in _found(choice, words)]
        for most in (1, 5):
            served = share(wanted, [names[:most] for names in found])
            yield Line(f"  find_tools, {whose}: top {most}", served, unit="%")
        full, brief = (_nearest(choices, words, told) for told in (full_words, brief_words))
        yield Line(
            f"  embedding, {whose}: full, beside brief ({_changed(wanted, full, brief)})",
            share(wanted, full),
            share(wanted, brief),
            "%",
            MOST_POINTS_LOST,
            difference=True,
        )


def _changed(wanted: Wanted, full: Chosen, brief: Chosen) -> str:
    before, after = right(wanted, full), right(wanted, brief)
    lost = sum(was and not is_ for was, is_ in zip(before, after, strict=True))
    won = sum(is_ and not was for was, is_ in zip(before, after, strict=True))
    return f"lost {lost}, won {won}"


def share(wanted: Wanted, chosen: Chosen) -> float:
    """Return the percentage of requests with a right choice."""
    served = right(wanted, chosen)
    return 100 * sum(served) / len(served)


def right(wanted: Wanted, chosen: Chosen) -> list[bool]:
    """Return for each request whether a right tool is among the chosen ones."""
    return [not tools.isdisjoint(names) for tools, names in zip(wanted, chosen, strict=True)]


def _found(choice: Choice, words: Words) -> Iterator[list[str]]:
    """Yield for each request the names in the reply of `find_tools`, the best first."""
    finder = Finder(choice.catalogue)
    for request in choice.requests:
        reply = msgspec.json.decode(finder.found(words(request), lambda _: True))
        yield [tool["name"] for tool in reply["tools"]]


# -- by embedding ----------------------------------------------------------------------------------


def full_words(catalogue: Catalogue) -> dict[str, str]:
    """Return the server's description of each tool, by name."""
    return {tool.name: tool.description for tool in catalogue}


def brief_words(catalogue: Catalogue) -> dict[str, str]:
    """Return the description of each tool in the brief form at the default budget, by name."""
    lister = Lister(Policy().list_budget, O200kMeter(), "brief")
    listed = map(msgspec.json.decode, lister.listing(catalogue).tools)
    words = {tool["name"]: tool.get("description", "") for tool in listed}
    return {name: words[name] for name in catalogue.names}


def _nearest(choices: Sequence[Choice], words: Words, told: Told) -> list[list[str]]:
    descriptions = [told(choice.catalogue) for choice in choices]
    tasks = [
        {
            "texts": [f"{name}: {text}" for name, text in by_name.items()],
            "requests": [words(request) for request in choice.requests],
        }
        for choice, by_name in zip(choices, descriptions, strict=True)
    ]
    return [
        [list(by_name)[position]]
        for by_name, positions in zip(descriptions, _embedded(tasks), strict=True)
        for position in positions
    ]


def _embedded(tasks: list[dict[str, list[str]]]) -> list[list[int]]:
    ran = subprocess.run(  # noqa: S603 (our own script, in the model's environment)
        [str(embedding_python()), str(_EMBEDDER)],
        input=msgspec.json.encode(tasks),
        stdout=subprocess.PIPE,
        check=True,
    )
    return msgspec.json.decode(ran.stdout, type=list[list[int]])
