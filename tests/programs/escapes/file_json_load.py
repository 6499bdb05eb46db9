# Expected: refused:
import json
json.load("CANARY_FILE")
