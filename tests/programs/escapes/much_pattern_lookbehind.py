# Expected: ended
import re
re.search(r"(?=(a+))*(x+x+)+y", "x" * 5_000)
