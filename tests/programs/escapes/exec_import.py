# Expected: refused:
exec("import socket")
socket
