# Expected: answer
_penstock_value = lambda token: "[1]"
value("CANARY_TOKEN")
