# Expected: refused: write may write
f = write
await f(path="CANARY_FOLDER/reached")
