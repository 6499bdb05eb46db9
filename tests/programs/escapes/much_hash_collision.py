# Expected: ended
x = {n * (2 ** 61 - 1): n for n in range(200_000)}
len(x)
