"""The pages of a stored result that the explorer shows to the user.

They may fill the host's ceiling, because they go to an app and the model never sees them. The checks
are the same as for the agent's replies: whose the result is, and whether it may still be read.
"""

from penstock.core.browsing.browse import browse, show

__all__ = ["browse", "show"]
