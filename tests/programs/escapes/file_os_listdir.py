# Expected: refused:
import os
os.listdir("CANARY_FOLDER")
