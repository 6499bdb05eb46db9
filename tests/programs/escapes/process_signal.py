# Expected: refused: ModuleNotFoundError
import signal
signal.alarm(1)
