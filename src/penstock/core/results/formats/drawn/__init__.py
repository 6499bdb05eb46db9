"""Tables drawn with characters: bars, boxes, and columns that are aligned by blanks."""
