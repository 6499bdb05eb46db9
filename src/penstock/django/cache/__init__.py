"""A store of results in one of the caches that a Django site has configured."""
