"""How hard the promises are tried: PENSTOCK_FUZZ multiplies the number of cases."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

# The helpers beside the tests are imported by name, which importlib mode does not arrange.
sys.path.insert(0, str(Path(__file__).parent))

FUZZ = int(os.environ.get("PENSTOCK_FUZZ", "1"))

settings.register_profile(
    "penstock",
    deadline=None,
    # The same cases at every ordinary run; a longer search looks elsewhere each time.
    derandomize=FUZZ == 1,
    database=None,
    print_blob=True,
    max_examples=300 * FUZZ,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("penstock")
