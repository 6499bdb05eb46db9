# Expected: refused: AttributeError
getattr(getattr((), "__cla" + "ss__"), "__base__")
