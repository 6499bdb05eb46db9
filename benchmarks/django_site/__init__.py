"""A Django site with 50,000 devices for benchmarks, without a gateway or with one of several.

It runs in Penstock's environment and in the peers', so it imports only the gateway that is used.
"""
