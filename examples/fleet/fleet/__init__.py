"""The project: its settings, its URLs, and the two ways to serve it."""
