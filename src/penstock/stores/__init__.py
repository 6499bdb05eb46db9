"""Stores, which keep results: one small protocol, one file for each backend, opened by URL."""

from penstock.core.model.store import (
    Account,
    Loaded,
    Record,
    Stats,
    Store,
    StoredEntry,
    chunk_numbers,
)
from penstock.stores.urls import open_store

__all__ = [
    "Account",
    "Loaded",
    "Record",
    "Stats",
    "Store",
    "StoredEntry",
    "chunk_numbers",
    "open_store",
]
