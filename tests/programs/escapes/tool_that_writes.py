# Expected: refused: write may write
await write(path="CANARY_FOLDER/reached")
