# Expected: refused:
value.__code__ = rows.__code__
value("CANARY_TOKEN")
