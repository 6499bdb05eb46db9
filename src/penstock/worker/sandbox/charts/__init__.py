"""The kinds of charts. Each file counts the rows for one kind."""
