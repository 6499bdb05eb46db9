# Expected: refused: ValueError: Continuation token expired
rows("CANARY_TOKEN")
