# Expected: stopped:
import base64
x = b"a" * 10_000_000
while True:
    x = base64.b64encode(x)
