# Expected: refused:
from pathlib import Path
[str(p) for p in Path("CANARY_FOLDER").iterdir()]
