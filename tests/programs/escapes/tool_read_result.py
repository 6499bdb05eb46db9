# Expected: refused: NameError: there is no tool
await call("read_result", {"continuation_token": "CANARY_TOKEN"})
