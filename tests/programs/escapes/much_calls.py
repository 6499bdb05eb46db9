# Expected: stopped: 100 calls
while True:
    await echo(text="a")
