# Expected: refused:
import os
os.getenv("CANARY_VARIABLE")
