# Expected: refused: ValueError
sql("SELECT readfile('CANARY_FILE') FROM t", t=[{"a": 1}])
