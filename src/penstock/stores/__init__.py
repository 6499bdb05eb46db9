"""Where results are kept: one small protocol, one file a backend, opened by URL."""

from penstock.core.model.store import AsyncStore, Loaded, Record, Stats, Store
from penstock.stores.threads import as_async
from penstock.stores.urls import open_async_store, open_store

__all__ = [
    "AsyncStore",
    "Loaded",
    "Record",
    "Stats",
    "Store",
    "as_async",
    "open_async_store",
    "open_store",
]
