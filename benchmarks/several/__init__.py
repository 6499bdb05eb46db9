"""Several servers behind one Penstock: what they cost in time, memory and tokens."""
