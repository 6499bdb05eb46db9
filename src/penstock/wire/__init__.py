"""What becomes of each message, whoever carries it: the relay between two programs, an adapter
within one. In bytes, without I/O."""
