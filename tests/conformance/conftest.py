import sys
from pathlib import Path

# The helpers are imported by name, which importlib mode does not arrange.
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
