# Expected: refused: TypeError
_penstock_store(5)
