# Expected: refused: ValueError: Continuation token expired
value("CANARY_TOKEN#/0")
