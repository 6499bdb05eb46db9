"""The servers of a host behind one entry: `penstock wrap --together`, and the undoing of that.

The servers move, as they are written, into a file beside the config. The one entry of the config
runs `penstock run --servers` with that file.
"""

from penstock.cli.together.gather import plan_together
from penstock.cli.together.restore import plan_apart

__all__ = ["plan_apart", "plan_together"]
