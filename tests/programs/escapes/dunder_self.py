# Expected: refused: AttributeError
print.__self__.open("CANARY_FILE")
