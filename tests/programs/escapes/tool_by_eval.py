# Expected: refused: NameError
await eval("wri" + "te")(path="CANARY_FOLDER/reached")
