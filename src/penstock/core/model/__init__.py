"""The values that everything speaks in, almost all frozen, and the protocol of a store. Imports
`core.json` only."""
