# Expected: refused:
import os
os.environ["CANARY_VARIABLE"]
