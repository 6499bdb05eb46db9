# Expected: answer
try:
    await call("wri" + "te", {"path": "CANARY_FOLDER/reached"})
except PermissionError as error:
    told = str(error)
"may only read" in told
