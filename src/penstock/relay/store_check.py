"""The store of a relay, which is opened and tried before a server starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.errors import StoreUnavailable

if TYPE_CHECKING:
    from penstock.core.model.store import Store
    from penstock.settings.policy import Policy

_NO_KEY: Final = "penstock-store-check"
_NEXT_STEP: Final = (
    "Correct --store (or PENSTOCK_STORE), or leave it out to keep results in memory."
)


def usable_store(policy: Policy) -> Store | None:
    """Open the store, and try to write, by deleting an entry that does not exist. Return None for
    memory, which cannot fail: the gate opens it later, while the server starts."""
    if policy.store == "memory:":
        return None
    from penstock.stores.urls import open_store

    try:
        store = open_store(policy.store, capacity=policy.capacity, quota=policy.quota)
        store.delete(_NO_KEY)
    except StoreUnavailable as error:
        raise StoreUnavailable(error.message, next_step=_NEXT_STEP) from None
    return store
