# Expected: refused:
call.__name__ = "write"
echo.__name__ = "write"
await echo(path="CANARY_FOLDER/reached")
