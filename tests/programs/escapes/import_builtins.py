# Expected: refused: ModuleNotFoundError
import builtins
builtins.open("CANARY_FILE")
