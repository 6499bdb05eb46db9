"""Takes from servers that read files or run commands: the text is a file, more or less exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corpus.history import commits
from corpus.material import (
    CITIES,
    books,
    devices,
    events,
    hosts,
    invoices,
    movements,
    orders,
    pods,
    readings,
    requests,
    shelves,
    texts,
)
from corpus.office import picture
from corpus.questions import (
    Fields,
    Take,
    count,
    first,
    full,
    lines_with,
    search,
    sql,
    tally,
    total_of,
    where,
)

FOLDER = "/tmp/material"  # noqa: S108 (a neutral path, because servers repeat it in their texts)
PICTURE = picture(160, 120, seed=1813)


def order_questions() -> list[Fields]:
    """Return questions that any table of all orders answers, if its columns have their names."""
    rows = orders()
    large = where(rows, lambda row: row["amount"] > 500)
    worth = "SELECT round(sum(amount), 2) AS worth FROM result WHERE status = 'returned'"
    returned = where(rows, lambda row: row["status"] == "returned")
    return [
        count("How many orders are above 500?", "amount > 500", large),
        sql(
            "What are the returned orders worth?", worth, [{"worth": total_of(returned, "amount")}]
        ),
        sql(
            "How many orders does each city have?",
            "SELECT city, count(*) AS n FROM result GROUP BY city ORDER BY city",
            tally(rows, "city"),
        ),
    ]


def pod_questions() -> list[Fields]:
    crashed = where(pods(), lambda row: row["status"] == "CrashLoopBackOff")
    restarted = where(pods(), lambda row: row["restarts"] > 3)
    return [
        count("How many pods crash?", "STATUS = 'CrashLoopBackOff'", crashed),
        count("How many pods restarted more than three times?", "RESTARTS > 3", restarted),
        sql(
            "How many pods has each namespace?",
            "SELECT NAMESPACE AS namespace, count(*) AS n FROM result GROUP BY 1 ORDER BY 1",
            tally(pods(), "namespace"),
        ),
    ]


def event_questions() -> list[Fields]:
    errors = where(events(), lambda row: row["level"] == "error")
    failed = where(events(), lambda row: row["http"]["status"] == 503)
    slowest = max(row["http"]["ms"] for row in events())
    return [
        count("How many errors are there?", "level = 'error'", errors),
        count("How many requests ended with status 503?", '"http.status" = 503', failed),
        sql(
            "How slow was the slowest?",
            'SELECT max("http.ms") AS ms FROM result',
            [{"ms": slowest}],
        ),
    ]


def device_questions() -> list[Fields]:
    old = where(devices(), lambda row: row["firmware"]["version"].startswith("2.0."))
    offline = where(devices(), lambda row: not row["online"])
    return [
        count("How many devices have firmware 2.0?", "\"firmware.version\" LIKE '2.0.%'", old),
        sql(
            "Which devices are offline?",
            "SELECT name FROM result WHERE online = 0 ORDER BY name",
            [{"name": row["name"]} for row in offline],
        ),
    ]


def takes() -> Iterator[Take]:
    yield from _tables()
    yield from _json()
    yield from _markup()
    yield from _plain()
    yield from _commands()


def _read(name: str, file: str, kind: str, questions: list[Fields]) -> Take:
    """Return a take of one file. Its exact text is always asked for."""
    asked = [*questions, full("What is the file, exactly?", texts()[file])]
    return Take("filesystem", name, "read_text_file", {"path": f"{FOLDER}/{file}"}, kind, asked)


def _tables() -> Iterator[Take]:
    yield _read("orders", "orders.csv", "csv", order_questions())
    cold = where(readings(), lambda row: row["temperature"] < 0)
    least = [
        {
            "station": f"S{n}",
            "low": min(r["battery"] for r in readings() if r["station"] == f"S{n}"),
        }
        for n in range(1, 7)
    ]
    yield _read(
        "readings",
        "readings.tsv",
        "tsv",
        [
            count("How many readings are below zero?", "temperature < 0", cold),
            sql(
                "How low was the battery of each station?",
                "SELECT station, min(battery) AS low FROM result GROUP BY station ORDER BY station",
                least,
            ),
        ],
    )
    unpaid = where(invoices(), lambda row: row["Bezahlt"] == "nein")
    large = where(invoices(), lambda row: float(row["Netto"].replace(",", ".")) > 1_000)
    yield _read(
        "invoices",
        "invoices.csv",
        "csv with semicolons, decimal commas, BOM and CRLF",
        [
            count("How many invoices are not paid?", "Bezahlt = 'nein'", unpaid),
            count(
                "How many invoices are above 1000?",
                "CAST(replace(Netto, ',', '.') AS REAL) > 1000",
                large,
            ),
        ],
    )


def _json() -> Iterator[Take]:
    yield _read("events", "events.ndjson", "ndjson", event_questions())
    yield _read("devices", "devices.json", "indented json", device_questions())
    gone = where(movements(), lambda row: row["change"] < 0)
    long = where(shelves(), lambda row: row["metres"] > 4)
    yield _read(
        "warehouse",
        "warehouse.json",
        "indented json, one object with two lists",
        [
            count("How many movements took something away?", "change < 0", gone, "/movements"),
            count("How many shelves are longer than 4 m?", "metres > 4", long, "/shelves"),
        ],
    )
    modules = sum(name.startswith("basin/") for name in texts())
    yield Take(
        "filesystem",
        "tree",
        "directory_tree",
        {"path": FOLDER, "excludePatterns": ["repository", "*.duckdb*"]},
        "indented json, a small tree",
        [
            search("How many Python files are there?", ".py", modules, "/~text"),
            count("How many folders are at the top?", "type = 'directory'", ["basin"]),
        ],
    )


def _markup() -> Iterator[Take]:
    cores = sum(row["cores"] for row in hosts())
    builders = where(hosts(), lambda row: row["role"] == "build")
    yield _read(
        "hosts",
        "hosts.yaml",
        "yaml",
        [
            sql("How many cores are there?", "SELECT sum(cores) AS n FROM result", [{"n": cores}]),
            count("How many hosts build?", "role = 'build'", builders),
        ],
    )
    recent = where(books(), lambda row: row["year"] >= 2000)
    yield _read(
        "books",
        "books.xml",
        "xml",
        [
            count("How many books are from 2000 or later?", "year >= 2000", recent),
            sql(
                "How many books has each shelf?",
                "SELECT shelf, count(*) AS n FROM result GROUP BY shelf ORDER BY shelf",
                tally(books(), "shelf"),
            ),
        ],
    )
    inventory = texts()["inventory.md"]
    joined = (
        "SELECT (SELECT sum(cores) FROM chapter_1_cleaning_the_spillway) AS cores, "
        "(SELECT sum(metres) FROM chapter_2_closing_the_spillway) AS metres"
    )
    yield _read(
        "inventory",
        "inventory.md",
        "markdown with two tables",
        [
            search("How many hosts are in rack r7?", "| r7 |", lines_with(inventory, "| r7 |")),
            search("Which headings are there?", "## ", lines_with(inventory, "## ")),
            sql(
                "How many cores and metres are there?",
                joined,
                [{"cores": total_of(hosts(), "cores"), "metres": total_of(shelves(), "metres")}],
            ),
        ],
    )


def _plain() -> Iterator[Take]:
    failed = where(requests(), lambda row: row["status"] == 500)
    slow = where(requests(), lambda row: row["msg"] == "upstream slow")
    yield _read(
        "router-log",
        "router.log",
        "logfmt",
        [
            count("How many requests failed?", "status = 500", failed),
            count("How often was the upstream slow?", "msg = 'upstream slow'", slow),
        ],
    )
    text = texts()["handbook.txt"]
    yield _read(
        "handbook",
        "handbook.txt",
        "prose",
        [
            search("Which chapters are there?", "Chapter ", lines_with(text, "Chapter ")),
            first("How does it begin?", text.splitlines()[:3], text.count("\n") + 1),
        ],
    )
    source = texts()["basin/rules_03.py"]
    yield Take(
        "filesystem",
        "two-files",
        "read_multiple_files",
        {"paths": [f"{FOLDER}/devices.json", f"{FOLDER}/basin/rules_03.py"]},
        "two files in one text",
        [
            search(
                "Which functions are defined?", "def flow_3_", lines_with(source, "def flow_3_")
            ),
            search("How many devices are in Lyon?", '"Lyon"', _devices_in("Lyon"), "/~text"),
        ],
    )
    yield Take(
        "filesystem",
        "picture",
        "read_media_file",
        {"path": f"{FOLDER}/noise.png"},
        "png image",
        [full("What is the picture?", PICTURE)],
    )


def _devices_in(city: str) -> int:
    assert city in CITIES
    return len(where(devices(), lambda row: row["site"] == city))


def _typed(code: str) -> dict[str, str]:
    return {"session": "corpus", "code": code}


def _checked_out() -> Iterable[str]:
    """Return the texts of all files at the last commit."""
    return {commit.file: commit.text for commit in commits()}.values()


def _commands() -> Iterator[Take]:
    pods_text = texts()["pods.txt"]
    yield Take(
        "commands",
        "pods",
        "run_command",
        {"command": "cat pods.txt", "workdir": FOLDER},
        "columns",
        [*pod_questions(), full("What did the command print?", pods_text)],
    )
    # mcp-shell-server removes white space at the end.
    yield Take(
        "shell",
        "events",
        "shell_execute",
        {"command": ["cat", "events.ndjson"], "directory": FOLDER},
        "json log",
        [*event_questions(), full("What did the command print?", texts()["events.ndjson"].strip())],
    )
    everything = "```json\n" + texts()["devices.json"] + "```"
    yield Take(
        "everything",
        "fenced-devices",
        "echo",
        {"message": everything},
        "json in a code fence, after a word",
        [*device_questions(), full("What came back?", f"Echo: {everything}")],
    )
    yield Take(
        "serena",
        "orders",
        "serena_repl",
        _typed('s.shell.execute_shell_command("cat ../orders.csv")'),
        "csv in the string stdout of an object, as text and as a string in structuredContent",
        [question | {"path": "/stdout"} for question in order_questions()],
    )
    roots = sum(lines_with(text, "math.sqrt") for text in _checked_out())
    yield Take(
        "serena",
        "matches",
        "serena_repl",
        _typed('s.fs.search_for_pattern("math.sqrt")'),
        "json object of lists of strings, as text and as a string in structuredContent",
        [
            search("How many lines have a square root?", "math.sqrt", roots),
            search("Is rules_03.py among the files?", "basin/rules_03.py", 1),
        ],
    )
