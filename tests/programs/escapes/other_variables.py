# Expected: refused: NameError
secret_of_another
