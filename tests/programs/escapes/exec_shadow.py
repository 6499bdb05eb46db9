# Expected: refused:
exec("_penstock_answer = lambda value: ('{', 0)")
_penstock_answer(5)["x"]
