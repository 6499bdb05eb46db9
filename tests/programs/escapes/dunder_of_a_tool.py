# Expected: refused: AttributeError
echo.__globals__
