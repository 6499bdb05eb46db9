# Expected: refused: was replaced
_penstock_answer = lambda value: ("{", 0)
5
