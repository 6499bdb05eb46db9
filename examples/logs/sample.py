"""A script that writes a log of 50,000 lines to try the server on, always the same one.

python examples/logs/sample.py FOLDER
"""

import argparse
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

LINES: Final = 50_000
START: Final = datetime(2026, 3, 2, tzinfo=UTC)
DAYS: Final = 2
NAME: Final = "shop.log"
LOGGERS: Final = ("shop.web", "shop.orders", "shop.payments", "shop.stock", "shop.mail")
LEVELS: Final = {"DEBUG": 30, "INFO": 65, "WARNING": 4.6, "ERROR": 0.4}
TRACEBACK: Final = (
    "Traceback (most recent call last):",
    '  File "/srv/shop/payments.py", line 88, in charge',
    "    answer = bank.send(order, timeout=TIMEOUT)",
    '  File "/srv/shop/bank.py", line 31, in send',
    "    raise Timeout(order)",
    "shop.bank.Timeout: the bank gave no answer in 5 s",
)
# For a quarter of an hour the bank does not answer. The only CRITICAL entry says why.
OUTAGE: Final = (START + timedelta(hours=31), START + timedelta(hours=31, minutes=15))
CAUSE: Final = "certificate of bank.example expired at 2026-03-03T07:00Z"


def lines(count: int = LINES) -> Iterator[str]:
    dice = random.Random(42)
    step = timedelta(days=DAYS) / count
    written = 0
    for entry in _entries(dice, step):
        for line in entry[: count - written]:
            yield line
            written += 1
        if written == count:
            return


def _entries(dice: random.Random, step: timedelta) -> Iterator[tuple[str, ...]]:
    time, has_told = START, False
    while True:
        time += step * dice.uniform(0.5, 1.5)
        order = dice.randrange(10_000, 99_999)
        if OUTAGE[0] <= time < OUTAGE[1] and not has_told:
            has_told = True
            yield (_line(time, "CRITICAL", "shop.payments", CAUSE),)
        elif OUTAGE[0] <= time < OUTAGE[1] and dice.random() < 0.3:
            yield (_line(time, "ERROR", "shop.payments", f"order {order} not paid"), *TRACEBACK)
            time += step * len(TRACEBACK)
        else:
            level = dice.choices(tuple(LEVELS), tuple(LEVELS.values()))[0]
            yield (_line(time, level, dice.choice(LOGGERS), _message(dice, level, order)),)


def _line(time: datetime, level: str, logger: str, message: str) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03d} {level} {logger}: {message}"


def _message(dice: random.Random, level: str, order: int) -> str:
    took = dice.randrange(3, 90)
    return {
        "DEBUG": f"order {order} looked up in {took} ms",
        "INFO": f"order {order} changed, {took} ms",
        "WARNING": f"order {order} slow: {took * 40} ms",
        "ERROR": f"order {order} refused: no stock",
    }[level]


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a log of 50,000 lines, always the same.")
    parser.add_argument("folder", type=Path, help="created if it does not exist")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text("".join(f"{line}\n" for line in lines()), "utf-8")
    print(f"{path}: {LINES:,} lines, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
