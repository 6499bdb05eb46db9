"""The name of an upstream in the figures: short, the same each time, and without secrets.

A command line and a URL may hold secrets. So the name of a command is its program or package, and
the name of a URL is its host.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile
from typing import Final

# Programs that run a package, a module or a file, with those of their options that take a value.
_RUNNERS: Final = {
    "npx": (
        *("-p", "--package", "-c", "--call", "-w", "--workspace", "--prefix", "--registry"),
        *("--cache", "--loglevel"),
    ),
    "bunx": ("-p", "--package"),
    "pnpm": ("--filter", "-F", "-C", "--dir", "--package", "--registry"),
    "uvx": (
        *("--from", "--with", "-w", "--with-editable", "--with-requirements", "-p", "--python"),
        *("--index", "--index-url", "-i", "--extra-index-url", "--default-index", "-f"),
        *("--find-links", "--prerelease", "--resolution", "--index-strategy", "--link-mode"),
        *("--constraints", "-c", "--overrides", "--exclude-newer", "--refresh-package", "-P"),
        *("--env-file", "--cache-dir", "--directory", "--project", "--config-file", "--color"),
    ),
    "uv": (
        *("--from", "--with", "-w", "--with-editable", "--with-requirements", "-p", "--python"),
        *("--index", "--index-url", "-i", "--extra-index-url", "--default-index", "-f"),
        *("--find-links", "--prerelease", "--resolution", "--index-strategy", "--link-mode"),
        *("--extra", "--group", "--package", "--env-file", "--cache-dir", "--directory"),
        *("--project", "--config-file", "--color"),
    ),
    "pipx": ("--spec", "--python", "--pip-args", "--index-url", "-i"),
    "node": ("-r", "--require", "--import", "--loader", "--env-file", "-C", "--conditions"),
    "bun": ("--cwd", "-r", "--preload", "-c", "--config"),
    "deno": ("-c", "--config", "--import-map"),
    "python": ("-W", "-X"),
    "java": ("-cp", "-classpath", "--class-path"),
    "sh": (),
    "docker": (
        *("-e", "--env", "--env-file", "-v", "--volume", "--mount", "-p", "--publish", "--name"),
        *("--network", "--net", "-w", "--workdir", "-u", "--user", "--entrypoint", "--platform"),
        *("-l", "--label", "--add-host", "-m", "--memory", "--cpus", "-h", "--hostname"),
        *("--memory-swap", "--shm-size", "--pids-limit", "--cap-add", "--cap-drop", "--device"),
        *("--security-opt", "--gpus", "--restart", "--ulimit", "--tmpfs", "--pull", "--dns"),
        *("--volumes-from", "--log-driver", "--log-opt", "--ipc", "--pid", "--userns"),
    ),
}  # fmt: skip
_RUNNERS_LIKE: Final = {
    "podman": "docker",
    "python3": "python",
    "py": "python",
    "tsx": "node",
    **dict.fromkeys(("bash", "zsh", "dash"), "sh"),
}
# Words between a runner and the package.
_VERBS: Final = frozenset({"run", "tool", "dlx", "exec", "x", "compose", "container"})
# Flags that take no value. After any other option, the next word may be its value, and a secret.
_FLAGS: Final = frozenset(
    {"-y", "--yes", "-q", "--quiet", "-i", "-t", "-it", "-ti", "--rm", "--interactive", "--init",
     "--tty", "-m", "-u", "-I", "-s", "-S", "-E", "-B", "-A", "--allow-all", "--allow-net",
     "--allow-read", "--allow-env", "--allow-run", "--allow-write", "--allow-sys", "--no-prompt",
     "--offline", "--isolated", "--no-install", "--silent", "--prefer-offline", "--no-cache",
     "--refresh", "--native-tls", "--no-config", "--reinstall", "-U", "--upgrade", "--verbose",
     "--no-warnings", "--enable-source-maps", "--experimental-strip-types", "--read-only",
     "--privileged", "--frozen", "--locked", "--no-sync", "--no-project", "-jar"}
)  # fmt: skip
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
# A line for a shell that is one command: without quotes, variables and other signs of the shell.
_ONE_COMMAND: Final = re.compile(r"[\w@./:,+= -]+")
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
    command = _inner(command)
    program = _base(command[0])
    runner = _RUNNERS_LIKE.get(program, re.sub(r"[\d.]+$", "", program))
    if runner not in _RUNNERS:
        return _named(command[0])[:_LONGEST]
    word = _first_word(command[1:], _RUNNERS[runner])
    return _named(word)[:_LONGEST] if _PACKAGE.fullmatch(word) else program


def _inner(command: Sequence[str]) -> Sequence[str]:
    """Return the command that `env`, `cmd /c` or a shell runs, or this command itself."""
    program, words = _base(command[0]), list(command[1:])
    found: list[str] = []
    if program == "env":
        found = _without_variables(words)
    elif program == "cmd":
        found = list(dropwhile(lambda word: word.startswith("/"), words))
    elif _RUNNERS_LIKE.get(program, program) == "sh" and words[:1] in (["-c"], ["-lc"]):
        line = "".join(words[1:2])
        found = _without_variables(line.split()) if _ONE_COMMAND.fullmatch(line) else []
    return _inner(found) if found and not found[0].startswith("-") else command


def _without_variables(words: Sequence[str]) -> list[str]:
    return list(dropwhile(_ASSIGNMENT.fullmatch, words))


def _first_word(words: Sequence[str], with_value: Sequence[str]) -> str:
    """Return the first word that is no option, nor the value of one. Return an empty text after an
    option that is not known. `with_value`: options whose value is the next word."""
    rest = iter(words)
    for word in rest:
        if word in with_value:
            next(rest, "")
        elif word in _VERBS or word in _FLAGS or (word.startswith("-") and "=" in word):
            continue
        else:
            return "" if word.startswith("-") else word
    return ""


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
