# Expected: refused: ValueError
_penstock_value(["CANARY_TOKEN"])
