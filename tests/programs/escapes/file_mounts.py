# Expected: refused:
from pathlib import Path
Path("/etc/passwd").open().read()
