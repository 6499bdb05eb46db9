"""The identity of a caller that has not logged in: the user of this machine, and this process."""

from __future__ import annotations

import os
import secrets

from penstock.core.model.values import Principal


def os_user() -> Principal:
    """Return the user of this process as the principal: on stdio, the host is this user's program."""
    if hasattr(os, "getuid"):
        return Principal(f"os:{os.getuid()}")
    return Principal(f"os:{os.environ.get('USERDOMAIN', '')}\\{os.environ.get('USERNAME', '')}")


def new_session_name() -> str:
    """Return a name that tells the one session of this process from those of other processes."""
    return secrets.token_hex(16)
