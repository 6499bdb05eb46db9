# Expected: refused: PermissionError
with open("CANARY_FILE") as f:
    text = f.read()
text
