# Expected: refused:
class A:
    def __init_subclass__(cls):
        open("CANARY_FILE")


class B(A):
    pass


open("CANARY_FILE")
