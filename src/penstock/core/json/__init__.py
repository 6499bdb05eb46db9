"""JSON as bytes: compact it, split it, walk it, point into it, and encode Python values."""
