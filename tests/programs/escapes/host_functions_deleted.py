# Expected: refused: This sandbox does not support
del _penstock_answer
5
