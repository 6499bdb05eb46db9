# Expected: stopped:
while True:
    store("x" * 1_000)
