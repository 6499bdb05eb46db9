# Expected: refused: AttributeError
f"{().__class__.__base__}"
