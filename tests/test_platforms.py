"""Platforms other than Linux, as far as Linux can tell: names that others lack are not needed to import."""

import subprocess
import sys

from environments import clean_environment

# On Windows `signal`, `os` and `select` lack these names, and the modules do not exist.
IMPORT_ALL = """
import asyncio, os, pkgutil, select, signal, socket, subprocess, sys, tempfile
for owner, names in (
    (signal, "SIGHUP SIGQUIT SIGKILL SIGALRM SIGUSR1 pthread_sigmask pause alarm"),
    (os, "eventfd EFD_CLOEXEC fork killpg getpgid setsid geteuid getuid posix_fadvise memfd_create"),
    (select, "poll epoll"),
    (socket, "AF_UNIX"),
):
    for name in names.split():
        if hasattr(owner, name):
            delattr(owner, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
import penstock
failed = []
for found in pkgutil.walk_packages(penstock.__path__, "penstock."):
    if not found.name.startswith(("penstock.adapters", "penstock.django", "penstock.__main__")):
        try:
            __import__(found.name)
        except (ImportError, AttributeError) as error:
            failed.append((found.name, repr(error)))
assert "penstock.relay.http.server" in sys.modules
print(*failed, sep="\\n")
"""


def test_modules_import_without_the_names_of_posix():
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(),
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")
