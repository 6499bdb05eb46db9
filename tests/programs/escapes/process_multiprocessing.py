# Expected: refused: ModuleNotFoundError
import multiprocessing
multiprocessing.Process().start()
