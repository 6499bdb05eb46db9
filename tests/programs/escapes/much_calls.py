# Expected: stopped: 10 calls
while True:
    await echo(text="a")
