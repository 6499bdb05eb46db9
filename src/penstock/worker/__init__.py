"""Isolated processes that answer questions in SQL and jq: pool, kill switch, child and failures are the
parent's side, serve and what it imports are the child's, and frames are what passes between them.
"""

from penstock.worker.pool import Workers

__all__ = ["Workers"]
