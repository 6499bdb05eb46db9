# Expected: ended
await echo(text="x" * 100_000_000)
