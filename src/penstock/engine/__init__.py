"""Carries out what the handlers ask for, the same for every carrier."""
