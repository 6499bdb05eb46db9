# Expected: refused:
from os import *
system("touch CANARY_FOLDER/reached")
