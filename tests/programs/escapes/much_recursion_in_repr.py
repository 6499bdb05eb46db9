# Expected: ended
x = []
for n in range(100_000):
    x = [x]
len(repr(x))
