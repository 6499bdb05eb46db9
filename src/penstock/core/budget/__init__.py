"""Sizes of replies: their measures and limits, the limits of hosts, and the largest that fits."""
