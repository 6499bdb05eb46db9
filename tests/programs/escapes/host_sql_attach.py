# Expected: refused: ValueError
sql("ATTACH 'CANARY_FILE' AS other", t=[{"a": 1}])
