# Expected: refused: was replaced
_penstock_answer = lambda value: ("5", "x")
5
