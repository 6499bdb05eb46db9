"""Stored results as a person sees them: a list, a view of one, and the whole of one as a file."""
