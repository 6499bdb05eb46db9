"""The views of a stored result, one file each. They are pure: rows come from effects."""
