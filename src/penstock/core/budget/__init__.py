"""The size of a reply: measures, limits, the caps of hosts, and the largest reply that fits."""
