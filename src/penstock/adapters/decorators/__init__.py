"""Decorators for the functions behind tools: `heavy` for large results, `shaped` for grids and
series, `app_only` for widgets."""
