# Expected: answer
[name for name in locals() if "secret" in name]
