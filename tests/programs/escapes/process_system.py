# Expected: refused:
import os
os.system("touch CANARY_FOLDER/reached")
