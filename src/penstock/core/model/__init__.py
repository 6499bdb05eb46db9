"""The values that all parts share, almost all of them frozen, and the `Store` protocol."""
