"""The negotiation and its parts: schemas, references, entries, the probe, and each kind of reply."""
