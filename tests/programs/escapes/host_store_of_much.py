# Expected: answer
# It is kept as a text: nothing decodes it.
_penstock_store("[" * 1_000_000)
