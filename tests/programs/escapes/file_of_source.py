# Expected: refused:
open(__file__).read()
