"""Texts that are tables or records: CSV and the like, columns drawn with characters, lines with keys."""
