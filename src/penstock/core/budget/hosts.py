"""Host profiles: the limits of each host, and what it does with a larger result.

Hosts change, and few document their limits. So each profile names the source of its figures, and
says which are undocumented. A budget that you set always overrides a profile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from penstock.core.budget.budget import Budget
from penstock.core.model.reply import ORDINARY, Showing
from penstock.errors import InvalidSetting


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProfile:
    """The limits of one host, as known in 2026."""

    name: str
    title: str
    budget: Budget  # for ordinary replies
    ceiling: Budget  # the host's own limit, which only the view `full` may use up
    source: str  # where the figures come from
    above: str  # what the host does with a larger result
    # How each host treats content beside structuredContent, and where that is known from.
    shows: str
    showing: Showing = ORDINARY


# Claude's vocabulary is not published, so its tokens cannot be counted exactly. A fifth more than
# o200k is an allowance, not a measurement.
_CLAUDE_SAFETY = 1.2
# The low tier serves several model families, and the chat format adds tokens of its own.
_GITHUB_MODELS_SAFETY = 1.1

# Hosts with this budget accept far more, but a reply should not cost more.
_ORDINARY = Budget(bytes=25_000)
_CODEX = Budget(bytes=10_240, lines=256)
_COPILOT_CLI = Budget(bytes=10_000)
_QWEN_CODE = Budget(chars=25_000, lines=1_000)
_GITHUB_MODELS = Budget(tokens=4_000, safety=_GITHUB_MODELS_SAFETY)

_KNOWN_HOSTS = (
    HostProfile(
        name="claude",
        title="claude.ai and Claude Desktop",
        budget=_ORDINARY,
        ceiling=Budget(chars=150_000),
        source="Anthropic's guide to payload budgeting for MCP Apps: about 150,000 characters",
        above="the JSON is replaced by a pointer to a file",
        shows="content alone: a result without content shows nothing (reported by users, "
        "seuros/action_mcp issue 181)",
    ),
    HostProfile(
        name="claude-code",
        title="Claude Code",
        budget=_ORDINARY,
        ceiling=Budget(tokens=25_000, chars=50_000, safety=_CLAUDE_SAFETY),
        source="25,000 tokens is the host's own figure (MAX_MCP_OUTPUT_TOKENS raises it); "
        "50,000 characters is an estimate",
        above="the result is saved to disk and a short preview takes its place",
        shows="structuredContent alone, if there is any (anthropics/claude-code issue 79944); "
        "annotations are not read (issue 18034)",
    ),
    HostProfile(
        name="codex",
        title="Codex",
        budget=_CODEX,
        ceiling=_CODEX,
        source="constants in Codex's source in 2025 (MODEL_FORMAT_MAX_BYTES, MODEL_FORMAT_MAX_LINES); "
        "later versions count tokens, by model",
        above="the middle is cut out",
        shows="structuredContent alone, if there is any (openai/codex issue 38287)",
    ),
    HostProfile(
        name="copilot-cli",
        title="Copilot CLI",
        budget=_COPILOT_CLI,
        ceiling=_COPILOT_CLI,
        source="reported by users (github/copilot-cli issue 1732), not documented by the host",
        above="the middle is dropped",
        shows="content and structuredContent (github/copilot-cli issue 4515)",
        showing=Showing(both=True),
    ),
    HostProfile(
        name="qwen-code",
        title="Qwen Code",
        budget=_QWEN_CODE,
        ceiling=_QWEN_CODE,
        source="defaults in Qwen Code's source (truncateToolOutputThreshold, truncateToolOutputLines)",
        above="the result is cut",
        shows="not known",
    ),
    HostProfile(
        name="github-models",
        title="GitHub Models, low tier",
        # The limit of 8,000 tokens is for the whole request. Half is left to the conversation.
        budget=_GITHUB_MODELS,
        ceiling=_GITHUB_MODELS,
        source="8,000 tokens of input for a request is documented by the host; "
        "half of it for one result is an estimate",
        above="the request fails with 413",
        shows="not known: it is a model's API, and the program that calls it decides",
    ),
)

PROFILES: Final[Mapping[str, HostProfile]] = MappingProxyType(
    {host.name: host for host in _KNOWN_HOSTS}
)

_ALIASES: Final = MappingProxyType({"claude-desktop": "claude", "claude.ai": "claude"})


def profile(name: str) -> HostProfile:
    known = name.strip().lower().replace(" ", "-").replace("_", "-")
    found = PROFILES.get(_ALIASES.get(known, known))
    if found is None:
        names = sorted((*PROFILES, *_ALIASES))
        near = "".join(f"Did you mean {close}? " for close in get_close_matches(known, names, 1))
        step = f"{near}Use one of: {', '.join(names)}."
        raise InvalidSetting("host", name, "unknown host.", next_step=step)
    return found
