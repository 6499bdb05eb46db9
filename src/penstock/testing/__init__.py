"""What any store has to do, as test cases: subclass, give a `store`, and pytest does the rest.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self):
            store = MyStore(quota=self.quota)
            yield store
            store.close()

A store that evicts takes `EvictingStoreContract`; an asynchronous one `AsyncStoreContract`, with a
`store` made by `driven(...)`. pytest itself is not imported here.
"""

from penstock.testing.driven import AsyncStoreContract, Driven, driven
from penstock.testing.evicting import EvictingStoreContract
from penstock.testing.records import ANY_BYTES, LATER, NOW, make_record, raises
from penstock.testing.stores import StoreContract

__all__ = [
    "ANY_BYTES",
    "LATER",
    "NOW",
    "AsyncStoreContract",
    "Driven",
    "EvictingStoreContract",
    "StoreContract",
    "driven",
    "make_record",
    "raises",
]
