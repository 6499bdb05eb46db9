"""An app with fields, filters and views of every kind, for the schemas of tools."""
