"""Streamable HTTP, on the client's or upstream's side of the relay. Needs the extra `serve`."""
