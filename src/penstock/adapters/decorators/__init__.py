"""Decorators for the functions behind tools: `heavy`, whose result is probed, and `shaped`, whose
result is a grid or a series."""
