# Expected: refused: AttributeError
().__class__.__base__.__subclasses__()
