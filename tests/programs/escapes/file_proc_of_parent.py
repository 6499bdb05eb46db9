# Expected: refused:
open("/proc/1/cmdline").read()
