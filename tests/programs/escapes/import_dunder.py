# Expected: refused: NameError
__import__("os").system("touch CANARY_FOLDER/reached")
