# Expected: refused: AttributeError
import sys
sys.modules["os"]
