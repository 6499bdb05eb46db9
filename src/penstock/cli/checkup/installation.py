"""The check of the installation: versions, and which extras there are."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from penstock._version import __version__
from penstock.cli.checkup.findings import CheckupSection, Finding, broken, fine, optional, warning
from penstock.cli.wrapping import find_launcher
from penstock.errors import PenstockError, how_to_install

# As in pyproject.toml, which an installation does not have.
REQUIRED: Final = ("msgspec>=0.19", "zstandard>=0.23", "jsonschema-rs>=0.46")
EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "tokens": ("rs-bpe>=0.1",),
    "query": ("jq>=1.10; sys_platform != 'win32'",),
    "redis": ("redis>=5.2",),
    "mcp": ("mcp>=2.3,<3",),
    "fastmcp": ("fastmcp>=4.1,<5",),
    "django": ("Django>=4.2", "djangorestframework>=3.15"),
    "shaping": ("numpy>=1.26", "tsdownsample>=0.1.4"),
    "texts": ("PyYAML>=6.0.1",),
    "programs": ("pydantic-monty>=1.4,<2",),
    "serve": (
        "starlette>=0.41",
        "uvicorn>=0.31,<0.55",
        "h11>=0.16",
        "aiohttp>=3.14,<3.15",
        "truststore>=0.10",
    ),
}
_ADDS: Final[Mapping[str, str]] = {
    "tokens": "exact token counts; without it they are estimated",
    "query": "the mode query, for jq programs",
    "redis": "the Redis store",
    "mcp": "the middleware for a server on the official SDK",
    "fastmcp": "the middleware for a server on FastMCP",
    "django": "tools from a Django site",
    "shaping": "large results of @shaped tools",
    "texts": "results that are YAML",
    "programs": "the tool run_python",
    "serve": "servers behind a URL, and penstock serve",
}


_MISSING: Final = "is missing"


def check_installation() -> CheckupSection:
    python = fine(
        f"Python {platform.python_version()}, penstock {__version__}",
        python=platform.python_version(),
        penstock=__version__,
    )
    findings = [python, _launcher(), *map(_library, REQUIRED), *map(_extra, EXTRAS)]
    return CheckupSection("Installation", tuple(findings))


def _launcher() -> Finding:
    try:
        found = find_launcher()
    except PenstockError as error:
        return broken(error.message, error.next_step)
    command = " ".join((found.command, *found.leading_args))
    if found.is_temporary:
        step = (
            "Install it in a permanent place: `uv tool install .` or `pipx install .` in a clone."
        )
        return warning(f"{command} is in a temporary place and will not last", step, path=command)
    return fine(f"Hosts can start {command}", path=command)


def _library(requirement: str) -> Finding:
    told, is_right = _installed(requirement)
    if is_right:
        return fine(told)
    return broken(f"{told}, but Penstock needs {requirement}", how_to_install())


def _extra(name: str) -> Finding:
    needed = [one for one in EXTRAS[name] if "win32" not in one or sys.platform != "win32"]
    found = [_installed(requirement) for requirement in needed]
    told = f"{name}: {', '.join(told for told, _ in found) or 'not on this platform'}"
    facts = {"extra": name, "is_installed": all(is_right for _, is_right in found)}
    if facts["is_installed"]:
        return fine(told, **facts)
    step = f"If you need it: {how_to_install(name)}"
    say = optional if _MISSING in told else warning
    return say(f"{told}. It adds {_ADDS[name]}", step, **facts)


def _installed(requirement: str) -> tuple[str, bool]:
    """Return the name and version of a library, and whether it is one that Penstock works with."""
    name, limits = re.match(r"([\w-]+)([^;]*)", requirement).groups()  # type: ignore[union-attr]  # all match
    try:
        found = version(name)
    except PackageNotFoundError:
        return f"{name} {_MISSING}", False
    return f"{name} {found}", all(_within(found, limit) for limit in _limits(limits))


def _limits(text: str) -> Iterator[tuple[str, str]]:
    return ((limit[0], limit[1]) for limit in re.findall(r"(>=|<)([\d.]+)", text))


def _within(found: str, limit: tuple[str, str]) -> bool:
    sign, number = limit
    is_below = _numbers(found) < _numbers(number)
    return is_below if sign == "<" else not is_below


def _numbers(text: str) -> list[int]:
    """Return the leading numbers of a version: 2.0.0rc1 counts as 2.0.0."""
    found = re.match(r"\d+(?:\.\d+)*", text)
    return [int(part) for part in found[0].split(".")] if found else []
