# Expected: refused: NameError: there is no tool
await call("find_tools", {"query": "write"})
