"""The place in a command line where Penstock's options end and the server's command begins.

The command begins after `--`, or with the first word that is neither an option nor the value of
one. Programs such as the MCP Inspector remove `--` from the commands that they are given.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn

from penstock.errors import PenstockError

END: Final = "--"
Options = Mapping[str, argparse.Action]  # Penstock's, by name


class Parser(argparse.ArgumentParser):
    """A parser whose errors are sentences with a next step."""

    def error(self, message: str) -> NoReturn:
        _, is_missing, names = message.partition("arguments are required: ")
        if is_missing:
            step = f"Use: {self.usage}" if self.usage else f"See {self.prog} --help."
            raise PenstockError(f"{self.prog} needs {names}.", next_step=step)
        told = message[:1].upper() + message[1:]
        raise PenstockError(f"{told.rstrip('.')}.", next_step=f"See {self.prog} --help.")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of those that an argument can have."""
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        near = nearest(str(value), known)
        step = f"Did you mean {near}?" if near else f"Use one of: {', '.join(known)}."
        if action.option_strings:
            raise PenstockError(f"{action.option_strings[0]} cannot be {value!r}.", next_step=step)
        raise PenstockError(f"{self.prog} has no {value!r}.", next_step=step)


def nearest(given: str, known: Sequence[str]) -> str:
    """Return the known word that is most like this one, or "" if none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(given, known, 1)), "")


class Words(NamedTuple):
    """A command line in two parts."""

    own: list[str]
    command: list[str]
    # An option of several values, which may have taken the server's command for values.
    greedy: str = ""


def split_at_end(words: Sequence[str], _options: Options) -> Words:
    """Return Penstock's own words, and the server's command after the first `--`."""
    at = words.index(END) if END in words else len(words)
    return Words([*words[:at]], [*words[at + 1 :]])


def split_at_command(words: Sequence[str], options: Options) -> Words:
    """Return Penstock's own words, and the server's command. Stop after an unknown option, because
    nothing tells whether it has a value."""
    at, greedy = 0, ""
    while at < len(words) and _is_option(words[at]):
        name = words[at].partition("=")[0]
        option = _named(name, options)
        at += 1
        if option is None:
            return Words([*words[:at]], [*words[at:]], greedy)
        if name == words[at - 1]:
            at += _values(option, words[at:])
        greedy = name if option.nargs == "+" else greedy
    if words[at : at + 1] == [END]:
        return Words([*words[:at]], [*words[at + 1 :]])
    return Words([*words[:at]], [*words[at:]], greedy)


def no_command_left(greedy: str, options: Options, name: str) -> PenstockError:
    """Return the error for a line without a server, whose command `greedy` may have taken."""
    option = _named(greedy, options)
    value = option.metavar if option is not None else "VALUE"
    step = f"Put -- before the server's command: penstock {name} {greedy} {value} -- COMMAND"
    told = f"{greedy} takes every word up to the next option, so there is no server's command."
    return PenstockError(told, next_step=step)


def _is_option(word: str) -> bool:
    return word.startswith("-") and word not in ("-", END)


def _named(name: str, options: Options) -> argparse.Action | None:
    """Return the option with this name, or with a longer name that no other shares, as argparse
    does. Return None if there is none."""
    if name in options:
        return options[name]
    found = [option for known, option in options.items() if known.startswith(name)]
    return found[0] if name.startswith(END) and len(found) == 1 else None


def _values(option: argparse.Action, after: Sequence[str]) -> int:
    """Return how many of the words after an option are its values."""
    if option.nargs == 0:
        return 0
    count = next(
        (at for at, word in enumerate(after) if _is_option(word) or word == END), len(after)
    )
    return count if option.nargs == "+" else min(1, count)
