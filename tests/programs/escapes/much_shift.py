# Expected: stopped:
1 << 10 ** 11
