"""The listing form `programs`: tools are found and described, and called by programs alone.

The tools that run programs and read results are not made here: every form lists them.
"""

from __future__ import annotations

from typing import Final

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.index_form import with_directory
from penstock.disclosure.lists.listing import Listing, Terms
from penstock.disclosure.lists.own_tools import describe_in_python_tool, find_tool
from penstock.disclosure.names import DESCRIBE, FIND

# All tools of this form together, so that it costs little where a server has hundreds of tools.
MOST_TOKENS: Final = 600


def listed(catalogue: Catalogue, terms: Terms) -> Listing:
    """Return `find_tools`, `describe_tools` with all names, and the tools that the settings always
    list."""
    in_full = {
        tool.name: tool.in_full_unwidened for tool in catalogue if terms.is_always_full(tool)
    }
    own = {role: catalogue.own[role] for role in (FIND, DESCRIBE)}

    def together(known: str) -> list[bytes]:
        describe = describe_in_python_tool(own[DESCRIBE], known)
        return [find_tool(own[FIND], has_limit=True), describe, *in_full.values()]

    otherwise = f": {own[FIND]} finds them."
    tools = with_directory(catalogue, terms, together, otherwise=otherwise)
    return Listing("programs", tools, own, frozenset(in_full))
