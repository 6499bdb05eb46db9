# Expected: refused:
_penstock_rows("variables 1")
