# Expected: refused:
import os
os.execv("/bin/sh", ["sh", "-c", "touch CANARY_FOLDER/reached"])
