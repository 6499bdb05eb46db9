# Expected: refused:
eval("open('CANARY_FILE').read()")
