# Expected: refused: NameError: there is no tool
await call("call_tool", {"name": "write", "arguments": {"path": "CANARY_FOLDER/reached"}})
