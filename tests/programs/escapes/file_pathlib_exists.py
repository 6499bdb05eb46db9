# Expected: answer
from pathlib import Path
# Nothing tells whether the file is there.
try:
    found = Path("CANARY_FILE").exists()
except Exception:
    found = False
found
