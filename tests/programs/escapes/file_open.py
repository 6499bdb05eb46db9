# Expected: refused: PermissionError
open("CANARY_FILE").read()
