# Expected: stopped:
list(range(10 ** 12))
