# Expected: refused: TypeError
_penstock_value()
