# Expected: refused:
open(0).read()
