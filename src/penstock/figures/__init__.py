"""Figures about the use of Penstock on this machine: calls, and tokens before and after."""
