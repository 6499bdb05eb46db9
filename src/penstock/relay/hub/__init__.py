"""The carriers between one client and several servers."""
