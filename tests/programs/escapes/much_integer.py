# Expected: ended
x = 9 ** 9 ** 7
str(x)
