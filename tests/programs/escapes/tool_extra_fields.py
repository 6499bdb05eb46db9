# Expected: refused: ValueError
await call("echo", {"text": "a", "_meta": {"x": 1}, "name": "write"})
