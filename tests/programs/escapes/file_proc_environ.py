# Expected: refused:
open("/proc/self/environ").read()
