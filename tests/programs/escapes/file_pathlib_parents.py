# Expected: refused:
from pathlib import Path
Path("/tmp/../CANARY_FILE").resolve().read_bytes()
