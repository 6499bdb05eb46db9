"""The engine, which does the work that handlers ask for. All carriers share it."""
