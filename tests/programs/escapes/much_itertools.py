# Expected: stopped:
import itertools
list(itertools.repeat(1))
