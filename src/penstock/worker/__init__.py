"""The worker: a pool of isolated processes that answer questions in SQL and jq.

`pool`, `kill_switch`, `child` and `failures` run in the parent process, `sandbox` in the child
processes. `frames` defines the messages between them.
"""

from penstock.worker.pool import Workers

__all__ = ["Workers"]
