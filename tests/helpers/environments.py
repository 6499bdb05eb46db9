"""Environments for processes that a test starts: without this machine's settings and records."""

import os
import tempfile

_STATE = tempfile.TemporaryDirectory(prefix="penstock-state-")  # gone when this process ends


def clean_environment(*others: str, **variables: str) -> dict[str, str]:
    """Return this environment without settings of Penstock, without a configuration folder, and
    with a state folder of the tests. No test adds to the figures of this machine.

    `others` are the first characters of further variables to leave out.
    """
    left_out = ("PENSTOCK_", *others)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    own = {"XDG_CONFIG_HOME": "/nonexistent", "XDG_STATE_HOME": _STATE.name}
    return {**kept, **own, "PENSTOCK_STATS": "off", **variables}
