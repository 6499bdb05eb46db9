# Expected: refused:
import os
os.read(os.open("CANARY_FILE", 0), 100)
