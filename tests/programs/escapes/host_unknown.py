# Expected: refused: NameError
_penstock_shell("touch CANARY_FOLDER/reached")
