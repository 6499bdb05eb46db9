"""Streamable HTTP, on either side of the relay. Needs the extra `serve`."""
