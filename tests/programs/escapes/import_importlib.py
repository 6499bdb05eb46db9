# Expected: refused: ModuleNotFoundError
import importlib
importlib.import_module("socket")
