# Expected: refused:
import copy


class A:
    def __reduce__(self):
        return (open, ("CANARY_FILE",))


copy.copy(A()).read()
