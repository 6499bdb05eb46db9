"""The configs that a command line means: by path, by the name of a host, or all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from penstock.cli.wrapping.formats import HOSTS, Format
from penstock.cli.wrapping.host_configs import KnownConfig, config_places, known_configs
from penstock.errors import PenstockError


@dataclass(frozen=True, slots=True)
class ChosenConfig:
    path: Path
    is_named: bool = True  # by its path, and not found on the machine
    # A host asks the user before it starts servers of a project: their commands may be other
    # people's. So they are started only if the user names the config.
    may_start: bool = True


def chosen_configs(words: Sequence[str]) -> list[ChosenConfig]:
    """Return the configs that are named, each once. Without names, return all that are found."""
    found = [one for word in words for one in _named(word)] if words else _found(known_configs())
    return list({one.path: one for one in found}.values())


def _named(word: str) -> list[ChosenConfig]:
    path = Path(word).expanduser()
    if path.is_file() or path.name != word or path.suffix in {".json", ".toml"}:
        return [ChosenConfig(path)]
    host = next((host for host in HOSTS if word.lower() in host.names), None)
    if host is None:
        raise _unknown(word)
    found = [known for known in known_configs() if known.format is host]
    if not found:
        raise _without_config(host)
    return _found(found)


def _found(known: Sequence[KnownConfig]) -> list[ChosenConfig]:
    return [
        ChosenConfig(one.path, is_named=False, may_start=not one.is_of_project) for one in known
    ]


def _unknown(word: str) -> PenstockError:
    near = get_close_matches(word.lower(), [name for host in HOSTS for name in host.names], 2)
    usual = ", ".join(host.names[0] for host in HOSTS)
    step = f"Did you mean {' or '.join(near)}?" if near else f"Name a file, or one of: {usual}."
    return PenstockError(f"There is no file and no host {word!r}.", next_step=step)


def _without_config(host: Format) -> PenstockError:
    places = [str(known.path) for known in config_places() if known.format is host]
    return PenstockError(
        f"No config of {host.title} was found. Looked for: {', '.join(places)}.",
        next_step="Add a server in the host first, or name the config file.",
    )
