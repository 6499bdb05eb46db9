# Expected: refused: PermissionError
await text("wri" + "te", {"path": "CANARY_FOLDER/reached"})
