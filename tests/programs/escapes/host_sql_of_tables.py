# Expected: refused: ValueError
_penstock_sql("SELECT 1", {"t": {"a": 1}})
