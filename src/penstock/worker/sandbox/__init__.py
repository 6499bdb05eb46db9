"""The child's side of the worker: one file a language, and the table that they read."""
