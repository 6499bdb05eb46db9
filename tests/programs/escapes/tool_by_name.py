# Expected: refused: PermissionError
await call("write", {"path": "CANARY_FOLDER/reached"})
