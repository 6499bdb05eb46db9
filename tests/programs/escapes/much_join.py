# Expected: stopped:
x = ["a" * 1_000_000] * 1_000_000
"".join(x)
