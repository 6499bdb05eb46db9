# Expected: refused: AttributeError
def f():
    pass
f.__globals__
