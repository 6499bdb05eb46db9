# Expected: refused: PermissionError
from pathlib import Path
Path("CANARY_FILE").write_text("reached")
