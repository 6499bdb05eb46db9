"""python -m benchmarks.servers.slow_light SECONDS: `light.py`, which waits before it starts."""

import sys
import time

from benchmarks.servers import light

if __name__ == "__main__":
    time.sleep(float(sys.argv.pop()))
    light.main()
