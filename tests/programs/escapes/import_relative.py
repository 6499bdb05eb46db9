# Expected: refused:
from . import secrets
