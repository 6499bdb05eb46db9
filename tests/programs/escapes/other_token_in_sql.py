# Expected: refused: ValueError: Continuation token expired
sql("SELECT * FROM t", t="CANARY_TOKEN")
