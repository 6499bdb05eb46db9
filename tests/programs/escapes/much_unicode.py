# Expected: ended
import unicodedata
x = unicodedata.normalize("NFKD", "\ufdfa" * 5_000_000)
len(x)
