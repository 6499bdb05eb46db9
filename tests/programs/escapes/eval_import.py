# Expected: refused:
eval("__import__('os').environ")
