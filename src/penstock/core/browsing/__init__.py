"""A stored result for a person to look at: what the explorer shows, a page at a time.

The agent's replies are in its budget; these are in the host's cap, for they go to an app and the model
never sees them. Whose a result is, and whether it may still be read, is asked here as it is there.
"""

from penstock.core.browsing.browse import browse, show

__all__ = ["browse", "show"]
