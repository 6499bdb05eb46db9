# Expected: refused: was replaced
_penstock_answer = lambda value: print
5
