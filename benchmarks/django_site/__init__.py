"""A Django site with 50,000 devices, for measuring: as it is, and with one gateway or another in it.

It runs in Penstock's environment and in the peers', and so imports neither where the other is used.
"""
