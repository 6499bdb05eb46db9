# Expected: stopped:
import itertools
list(itertools.product(range(1_000), repeat=4))
