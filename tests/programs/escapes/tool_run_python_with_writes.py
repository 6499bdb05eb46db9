# Expected: refused: NameError
await call("run_python_with_writes", {"code": "await write(path='CANARY_FOLDER/reached')"})
