# Expected: stopped: printed more
while True:
    print("x" * 100_000)
