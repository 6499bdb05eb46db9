"""What a result is: content blocks, a document of rows, its outline, a sample of it, packed chunks."""
