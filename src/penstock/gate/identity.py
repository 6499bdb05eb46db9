"""Who it is, where nobody has logged in: the user of this machine, in this process."""

from __future__ import annotations

import os
import secrets

from penstock.core.model.values import Principal


def os_user() -> Principal:
    """On stdio the host is a program of this user's."""
    if hasattr(os, "getuid"):
        return Principal(f"os:{os.getuid()}")
    return Principal(f"os:{os.environ.get('USERDOMAIN', '')}\\{os.environ.get('USERNAME', '')}")


def new_seat() -> str:
    """What tells the one session of this process from those of others."""
    return secrets.token_hex(16)
