# Expected: refused: NameError: there is no tool
await call("run_python", {"code": "1"})
