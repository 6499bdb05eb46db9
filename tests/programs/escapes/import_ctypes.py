# Expected: refused: ModuleNotFoundError
import ctypes
ctypes.CDLL(None).system(b"touch CANARY_FOLDER/reached")
