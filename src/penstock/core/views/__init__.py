"""One file a view: how a stored result is looked at. Pure; rows come from effects."""
