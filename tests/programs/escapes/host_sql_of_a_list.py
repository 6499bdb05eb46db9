# Expected: refused: TypeError
_penstock_sql("SELECT 1", [1])
