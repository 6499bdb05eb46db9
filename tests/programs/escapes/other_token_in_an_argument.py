# Expected: refused: RuntimeError
await echo(text="@result:CANARY_TOKEN")
