# Expected: refused: NameError
__builtins__["open"]("CANARY_FILE")
