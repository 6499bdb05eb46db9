# Expected: stopped: no JSON form
_penstock_answer = lambda value: print
5
