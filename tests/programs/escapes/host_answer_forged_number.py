# Expected: stopped: no JSON form
_penstock_answer = lambda value: ("5", "x")
5
