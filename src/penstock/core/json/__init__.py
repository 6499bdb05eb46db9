"""Functions that compact, split, walk and address JSON as bytes, and encode Python values."""
