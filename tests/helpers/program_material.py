"""The folders that the programs of docs/howto/programs.md work on."""

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from git_repository import Repository
from node_runtime import package

TABLES = (
    "airports", "birdstrikes", "flights-airport", "lookup_groups", "lookup_people", "stocks",
)  # fmt: skip
AUTHORS = ("Ada <ada@example.com>", "Ben <ben@example.com>", "Cleo <cleo@example.com>")
FILES = ("orders/cart.py", "orders/views.py", "stock/levels.py", "prices/taxes.py", "README.md")
RULES = {11: "Round prices up", 34: "Give a discount on ten or more", 52: "Keep prices of members"}
HOSTS = 6
FAILING_HOST = 4


def make_folders(folder: Path) -> None:
    """Make the folders `data`, `source`, `logs` and `shop`, always with the same content."""
    (folder / "data").mkdir()
    for name in TABLES:
        shutil.copy(package(f"vega-datasets/data/{name}.csv"), folder / "data")
    shutil.copytree(package("@modelcontextprotocol/sdk/dist/esm"), folder / "source")
    _write_logs(folder / "logs")
    _make_repository(folder / "shop")


def _write_logs(folder: Path) -> None:
    folder.mkdir()
    dice = random.Random(5)
    for host in range(1, HOSTS + 1):
        time = datetime(2026, 11, 16, tzinfo=UTC)
        lines = []
        for _ in range(2_000):
            time += timedelta(seconds=dice.uniform(20, 60))
            is_down = host == FAILING_HOST and time.hour == 14
            status = dice.choices((200, 404, 503), (20, 10, 70) if is_down else (960, 30, 10))[0]
            client = f"10.0.{dice.randrange(4)}.{dice.randrange(1, 250)}"
            lines.append(
                f"{client} - - [{time:%d/%b/%Y:%H:%M:%S} +0000] "
                f'"GET /orders/{dice.randrange(9_999)} HTTP/1.1" {status} {dice.randrange(9_000)}\n'
            )
        (folder / f"web-{host}.log").write_text("".join(lines))


def _make_repository(folder: Path) -> None:
    """Make a repository of 60 commits. A few of them change the price rules."""
    folder.mkdir()
    repository = Repository(folder)
    dice = random.Random(3)
    for number in range(60):
        name = "prices/rules.py" if number in RULES else dice.choice(FILES)
        path = folder / name
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        del lines[: dice.randrange(4)]
        lines += [f"rule_{number} = {dice.randrange(1_000)}\n" for _ in range(dice.randrange(2, 9))]
        repository.write(name, "".join(lines))
        message = RULES.get(number, f"Work on {name}")
        repository.commit(message, f"--author={dice.choice(AUTHORS)}")
