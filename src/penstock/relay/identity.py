"""Whose a stored result is, where nobody has logged in: the user of this machine."""

from __future__ import annotations

import os

from penstock.model import Principal


def os_user() -> Principal:
    """On stdio the host is a program of this user's."""
    if hasattr(os, "getuid"):
        return Principal(f"os:{os.getuid()}")
    return Principal(f"os:{os.environ.get('USERDOMAIN', '')}\\{os.environ.get('USERNAME', '')}")
