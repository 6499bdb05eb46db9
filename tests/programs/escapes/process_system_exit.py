# Expected: ended
raise SystemExit(0)
