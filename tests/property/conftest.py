import sys
from pathlib import Path

# The helpers beside the tests are imported by name, which importlib mode does not arrange.
sys.path.insert(0, str(Path(__file__).parent))
