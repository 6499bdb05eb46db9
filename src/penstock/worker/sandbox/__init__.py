"""The child's side of the worker: one module per language, and the table that they read."""
