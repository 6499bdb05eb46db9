"""Several processes that serve on one port: `penstock serve --workers N`."""
