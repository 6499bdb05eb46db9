# Expected: refused:
x = []
for n in range(100_000):
    x = [x]
x
