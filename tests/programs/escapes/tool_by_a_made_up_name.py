# Expected: refused: PermissionError
name = "".join(["wr", "ite"])
await call(name, {"path": "CANARY_FOLDER/reached"})
