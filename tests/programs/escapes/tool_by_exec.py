# Expected: refused:
exec("f = wri" + "te")
await f(path="CANARY_FOLDER/reached")
