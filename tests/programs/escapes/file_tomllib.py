# Expected: refused:
import tomllib
tomllib.load("CANARY_FILE")
