# Expected: ended
eval("(" * 50_000 + "1" + ")" * 50_000)
