# Expected: stopped: no JSON form
_penstock_answer = lambda value: ("{", 0)
5
