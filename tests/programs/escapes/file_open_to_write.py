# Expected: refused: PermissionError
open("CANARY_FILE", "w").write("reached")
