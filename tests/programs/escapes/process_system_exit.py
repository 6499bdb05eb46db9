# Expected: refused:
raise SystemExit(0)
