# Expected: stopped:
"%10000000000d" % 1
