"""Every tool of a server, with its full description.

A catalogue comes from a server's list, from a folder with one JSON file for each tool, or from
both: then the files override the list. A name is never made into a path, and no path is ever shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.disclosure.described_tool import DescribedTool, as_table
from penstock.disclosure.names import own_names
from penstock.log import logger

if TYPE_CHECKING:
    from pathlib import Path


_LONGEST_SLIP: Final = 100
_MOST_LIKELY: Final = 50


class Catalogue:
    """Tools in the order of their server's list. Two catalogues with the same tools are equal, and
    give the same bytes in every listing form."""

    def __init__(
        self, tools: Iterable[DescribedTool], own: Mapping[str, str] | None = None
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        # The names of Penstock's own tools beside these, by role.
        self.own: Mapping[str, str] = own_names(self._tools) if own is None else own

    @classmethod
    def from_tools(
        cls, tools: Mapping[str, Any] | Iterable[Mapping[str, Any] | bytes | msgspec.Raw]
    ) -> Catalogue:
        """Read a list of tools, or the result of a `tools/list`. Leave out entries without a name,
        which no client can call."""
        listed = tools.get("tools", ()) if isinstance(tools, Mapping) else tools
        found = (_listed_tool(tool) for tool in listed)
        return cls(tool for tool in found if tool is not None)

    @classmethod
    def from_folder(cls, folder: str | Path) -> Catalogue:
        """Read JSON files, one for each tool. Skip and log a file that cannot be used."""
        from penstock.disclosure.description_files import tools_in

        return cls(tools_in(folder))

    def laid_over(self, other: Catalogue) -> Catalogue:
        """Return the tools of `other`, with the descriptions in this catalogue in place of theirs.
        Log descriptions of tools that `other` does not have: mostly typing errors."""
        strangers = [name for name in self._tools if name not in other]
        if strangers:
            logger().warning(
                "descriptions of tools that the server does not have: %s", ", ".join(strangers)
            )
        return Catalogue((_merged(tool, self.get(tool.name)) for tool in other), other.own)

    @property
    def joins_apps(self) -> bool:
        """Return whether these are tools of several servers, and one of these has apps."""
        is_joined = len({tool.server for tool in self}) > 1
        return is_joined and any(tool.is_of_apps for tool in self)

    def __iter__(self) -> Iterator[DescribedTool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Catalogue) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    @property
    def names(self) -> list[str]:
        return list(self._tools)

    def get(self, name: str) -> DescribedTool | None:
        return self._tools.get(name)

    def nearest(self, name: str, most: int = 3) -> list[str]:
        """Return the names that are most like this one, which the agent may have meant."""
        from difflib import get_close_matches

        wanted = name.casefold()[:_LONGEST_SLIP]
        # Comparing is slow, and there may be thousands: compare the names with the most in common.
        shared = _trigrams(wanted)
        likely = sorted(self._folded, key=lambda known: -len(shared & self._folded[known][1]))[
            :_MOST_LIKELY
        ]
        near = get_close_matches(wanted, likely, most, cutoff=0.5)
        return [self._folded[folded][0] for folded in near]

    @cached_property
    def _folded(self) -> dict[str, tuple[str, frozenset[str]]]:
        names = ((name, name.casefold()[:_LONGEST_SLIP]) for name in self._tools)
        return {folded: (name, _trigrams(folded)) for name, folded in names}

    def without_apps(self) -> Catalogue:
        """Return the catalogue as a model may see it: without the tools for apps alone."""
        return self if self._for_models is None else self._for_models

    @cached_property
    def _for_models(self) -> Catalogue | None:
        """The tools that a model may see; None if these are all. Kept, because every call asks."""
        if not any(b'"app"' in tool.raw and tool.is_for_apps_alone for tool in self):
            return None
        return Catalogue((tool for tool in self if not tool.is_for_apps_alone), self.own)

    @cached_property
    def digest(self) -> str:
        """A hash that changes whenever a tool changes."""
        whole = hashlib.sha256(encode(dict(self.own)))
        for tool in self:
            parts = (tool.raw, tool.told, encode(dict(tool.more)), encode(tool.server), b"")
            whole.update(b"\0".join(parts))
        return whole.hexdigest()


def _listed_tool(tool: Mapping[str, Any] | bytes | msgspec.Raw) -> DescribedTool | None:
    raw = encode(dict(tool)) if isinstance(tool, Mapping) else rawjson.compact(tool)
    value = rawjson.decode(raw)
    name = value.get("name") if isinstance(value, dict) else None
    return DescribedTool(name, raw) if isinstance(name, str) and name else None


def _merged(tool: DescribedTool, over: DescribedTool | None) -> DescribedTool:
    """Return the server's tool with the texts of a file. The full description shows the file's
    schema. Calls are still checked against the server's."""
    if over is None:
        return tool
    from penstock.disclosure.schemas.slimming import slim

    words = {key: over.listed[key] for key in ("title", "description") if key in over.listed}
    shown = {"inputSchema": slim(over.schema)} if over.schema else {}
    more = {**tool.more, **over.more, **shown}
    told = encode({**as_table(rawjson.decode(tool.told)), **words}) if tool.told else b""
    return DescribedTool(tool.name, encode({**tool.listed, **words}), more, told, tool.server)


def _trigrams(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 3] for at in range(max(1, len(text) - 2)))
