# Expected: refused:
import os
os.fork()
