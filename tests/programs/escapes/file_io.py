# Expected: refused:
import io
io.open("CANARY_FILE").read()
