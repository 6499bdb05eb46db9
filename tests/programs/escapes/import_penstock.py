# Expected: refused: ModuleNotFoundError
import penstock
penstock
