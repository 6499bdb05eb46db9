# Expected: refused: NameError
StoreFunctions.by_name
