# Expected: refused:
from pathlib import Path
Path("CANARY_FILE").unlink()
