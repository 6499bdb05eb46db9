# Expected: stopped:
import math
math.factorial(10 ** 7)
while True:
    pass
