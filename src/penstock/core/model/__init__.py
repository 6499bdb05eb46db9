"""The frozen values that everything speaks in, and the protocol of a store. Imports `core.json` only."""
