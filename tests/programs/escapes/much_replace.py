# Expected: stopped:
x = "a" * 10_000
for n in range(5):
    x = x.replace("a", x)
x
