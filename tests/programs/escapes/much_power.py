# Expected: stopped:
10 ** 10 ** 10
