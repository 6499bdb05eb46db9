"""Several servers as one: lists, names and messages between one client and its servers. Pure."""
