# Expected: refused: NameError
exec(compile("import socket", "", "exec"))
