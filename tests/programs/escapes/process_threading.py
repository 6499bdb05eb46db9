# Expected: refused: ModuleNotFoundError
import threading
threading.Thread(target=print).start()
