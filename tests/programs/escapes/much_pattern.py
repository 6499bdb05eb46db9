# Expected: ended
import re
re.match(r"(a|a)*\1?(a+)+$", "a" * 300 + "b")
