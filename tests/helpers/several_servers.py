"""One Penstock before the servers of a file, as a process on stdio."""

import json
import sys

_FRONT = """
import json, sys
from pathlib import Path
from penstock import Policy
from penstock.cli.several import read_group
from penstock.relay.run_command import run_servers
group = read_group(Path(sys.argv[1]))
sys.exit(run_servers(group, Policy.load(json.loads(sys.argv[2])), None))
"""


def front_command(file, **settings):
    """Return the command of a front with these settings."""
    return [sys.executable, "-c", _FRONT, str(file), json.dumps(settings)]
