"""The name of an upstream in the figures: short, the same each time, and without secrets.

A command line and a URL may hold secrets. So the name of a command is its program or package, and
the name of a URL is its host.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

# Programs that run a package, a module or a file, with those of their options that take a value.
_RUNNERS: Final = {
    "npx": ("-p", "--package", "-c", "--call"),
    "bunx": ("-p", "--package"),
    "pnpm": (),
    "uvx": ("--from", "--with", "-p", "--python", "--index", "--index-url", "--extra-index-url"),
    "uv": ("--from", "--with", "-p", "--python", "--directory", "--project"),
    "pipx": ("--spec", "--python", "--pip-args"),
    "node": ("-r", "--require", "--import", "--loader", "--env-file"),
    "bun": (),
    "deno": ("-c", "--config", "--import-map"),
    "python": ("-W", "-X"),
    "docker": (
        *("-e", "--env", "--env-file", "-v", "--volume", "--mount", "-p", "--publish", "--name"),
        *("--network", "--net", "-w", "--workdir", "-u", "--user", "--entrypoint", "--platform"),
        *("-l", "--label", "--add-host", "-m", "--memory", "--cpus"),
    ),
}  # fmt: skip
_RUNNERS_LIKE: Final = {"podman": "docker", "python3": "python", "py": "python", "tsx": "node"}
# Words between a runner and the package.
_VERBS: Final = frozenset({"run", "tool", "dlx", "exec", "x", "compose", "container"})
# Flags that take no value. After any other option, the next word may be its value, and a secret.
_FLAGS: Final = frozenset(
    {"-y", "--yes", "-q", "--quiet", "-i", "-t", "-it", "-ti", "--rm", "--interactive", "--init",
     "--tty", "-m", "-u", "-I", "-s", "-S", "-E", "-B", "-A", "--allow-all", "--allow-net",
     "--allow-read", "--allow-env", "--offline", "--prerelease", "--isolated", "--no-install"}
)  # fmt: skip
# A package, an image or a path. A URL may hold a password.
_PACKAGE: Final = re.compile(
    r"(?!.*://)[@\w./\\~][\w .:@/\\+~()-]*(\[[\w,-]*\])?([=<>~!]=?[\w.]+)?"
)
_VERSION: Final = re.compile(r"(?<=.)(@|==|>=|~=|:)[\w.-]*$|\[[\w,-]*\]")
# Files and folders that many servers have.
_USUAL: Final = frozenset(
    {"index", "main", "__main__", "server", "cli", "app", "run", "start", "dist", "build", "src",
     "bin", "lib", "out"}
)  # fmt: skip
_SUFFIXES: Final = re.compile(r"\.(exe|cmd|bat|js|mjs|cjs|ts|py|pyz|jar|sh)$", re.IGNORECASE)
_LONGEST: Final = 80


def host_name(url: str) -> str:
    """Return the host of a URL, with its port. A path may hold a secret."""
    address = re.split(r"[/?#]", url.partition("://")[2])[0]
    return address.rpartition("@")[2][:_LONGEST]


def command_name(command: Sequence[str]) -> str:
    """Return the name of the package, module or file that a command runs, or of its program."""
    program = _base(command[0])
    runner = _RUNNERS_LIKE.get(program, re.sub(r"[\d.]+$", "", program))
    if runner not in _RUNNERS:
        return _named(command[0])[:_LONGEST]
    words = iter(command[1:])
    for word in words:
        option = word.partition("=")[0]
        if word in _VERBS or option in _FLAGS:
            continue
        if option in _RUNNERS[runner]:
            if "=" not in word:
                next(words, "")
            continue
        if word.startswith("-") or not _PACKAGE.fullmatch(word):
            break
        return _named(word)[:_LONGEST]
    return program


def _named(word: str) -> str:
    """Return the name in a path or a package. Packages of npm and images keep their owner's name."""
    path = re.split(r"[/\\]", word)
    if "node_modules" in path:
        after = path[len(path) - path[::-1].index("node_modules") :]
        return "/".join(after[: 2 if after and after[0].startswith("@") else 1])
    if word.startswith("@"):
        return _VERSION.sub("", word)
    names = [_VERSION.sub("", _SUFFIXES.sub("", part)) for part in path]
    return next((name for name in reversed(names) if name and name not in _USUAL), names[-1])


def _base(program: str) -> str:
    return _SUFFIXES.sub("", re.split(r"[/\\]", program)[-1]).lower()
