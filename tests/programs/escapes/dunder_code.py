# Expected: refused: AttributeError
def f():
    pass
f.__code__.co_consts
