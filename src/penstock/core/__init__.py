"""The pure core: what a result is, how it is looked at, and the protocol. No I/O, no clock, no randomness."""
