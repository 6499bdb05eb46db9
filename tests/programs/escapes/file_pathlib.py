# Expected: refused: PermissionError
from pathlib import Path
Path("CANARY_FILE").read_text()
