# Expected: refused: ValueError
sql("SELECT load_extension('CANARY_FILE') FROM t", t=[{"a": 1}])
