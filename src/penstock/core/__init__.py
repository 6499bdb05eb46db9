"""The pure core: results, the views of them, and the protocol. No I/O, no clock, no randomness."""
