# Expected: refused:
_penstock_store("{not json")
