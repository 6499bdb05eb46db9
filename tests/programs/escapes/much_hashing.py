# Expected: ended
import hashlib
x = b"a" * 50_000_000
for n in range(1_000_000):
    hashlib.sha256(x).hexdigest()
