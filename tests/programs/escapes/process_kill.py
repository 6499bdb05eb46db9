# Expected: refused:
import os
os.kill(os.getppid(), 9)
