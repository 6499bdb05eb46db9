"""Results: their content blocks, rows, outline and sample, and the packed chunks."""
