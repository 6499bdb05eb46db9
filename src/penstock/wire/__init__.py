"""The handling of each message between a client and upstream. It works on bytes and does no I/O, so
the relay and the adapters share it."""
