"""The faults that these tests cause, in the order of the page. Tests check `kept` and `next`."""

from faults_page import Fault

DISK_FULL = Fault(
    "disk-full",
    "The disk is full, with the store in SQLite",
    "every result that has a token; of the new result, the part that is shown",
    "Results are stored again as soon as there is room. The tool is not run again.",
)
FILE_READ_ONLY = Fault(
    "file-read-only",
    "The SQLite file may not be written, when `run` starts",
    "every result that has a token, in the file",
    "`run` ends with exit code 2. It starts when the file can be written, and reads the results.",
)
UPSTREAM_HANGS = Fault(
    "upstream-hangs",
    "Upstream does not answer a call, with `--call-timeout`",
    "every result that has a token",
    "Upstream is told to cancel the call. The next call is answered.",
)
UPSTREAM_DIES = Fault(
    "upstream-dies",
    "The command dies in the middle of a line",
    "every result that has a token; with `run`, if the store is not in memory",
    "`run` ends with exit code 1, and hosts start it again. `serve` starts the command at the next "
    "request. The tool is not run again.",
)
UPSTREAM_BREAKS_OFF = Fault(
    "upstream-breaks-off",
    "The URL's server closes the connection in the middle of its answer",
    "every result that has a token",
    "The next call is answered. The tool is not run again.",
)
UPSTREAM_ANSWERS_TWICE = Fault(
    "upstream-answers-twice",
    "Upstream answers a call twice",
    "the first answer, and every result that has a token",
    "A second answer over the budget is dropped. The next call is answered.",
)
LINE_WITHOUT_END = Fault(
    "line-without-end",
    "The command writes a line that does not end",
    "every result that has a token; with `run`, if the store is not in memory",
    "Penstock stops to read at `--max-upstream` and ends the command. `run` ends with exit code 1, "
    "and hosts start it again. `serve` starts the command at the next request.",
)
STREAM_WITHOUT_END = Fault(
    "stream-without-end",
    "The URL's server sends an event that does not end",
    "every result that has a token",
    "Penstock stops to read at `--max-upstream`, and hangs up. The next call is answered.",
)
CLIENT_LEAVES = Fault(
    "client-leaves",
    "A client of `serve` disconnects in the middle of a page",
    "every result that has a token",
    "Other clients notice nothing. The page can be read again.",
)
HOST_LEAVES = Fault(
    "host-leaves",
    "The host of `run` closes its pipe in the middle of a page",
    "every result that has a token, if the store is not in memory",
    "`run` and the command end. A new `run` reads the page again.",
)
SIGNAL = Fault(
    "signal",
    "SIGTERM, SIGINT or SIGHUP to `run`, at any time",
    "every result that has a token, if the store is not in memory",
    "Penstock and all that it started end. A new Penstock reads the results. No tool is run again.",
)
SIGNAL_TO_SERVE = Fault(
    "signal-to-serve",
    "SIGTERM, SIGINT or SIGHUP to `serve`, at any time",
    "every result that has a token, if the store is not in memory",
    "A call has three seconds to end. Then Penstock and all that it started end. A new Penstock reads "
    "the results. No tool is run again.",
)
KILLED = Fault(
    "killed",
    "SIGKILL to Penstock, at any time",
    "every result that has a token, if the store is not in memory",
    "All that Penstock started ends. A new Penstock reads the results. No tool is run again.",
)
WORKER_KILLED = Fault(
    "worker-killed",
    "The process that runs a query is killed",
    "every result that has a token",
    "The next query starts another process.",
)
FAULTS = (
    DISK_FULL,
    FILE_READ_ONLY,
    UPSTREAM_HANGS,
    UPSTREAM_DIES,
    UPSTREAM_BREAKS_OFF,
    UPSTREAM_ANSWERS_TWICE,
    LINE_WITHOUT_END,
    STREAM_WITHOUT_END,
    CLIENT_LEAVES,
    HOST_LEAVES,
    SIGNAL,
    SIGNAL_TO_SERVE,
    KILLED,
    WORKER_KILLED,
)
