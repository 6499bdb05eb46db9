# Expected: refused:
import os
dict(os.environ)
