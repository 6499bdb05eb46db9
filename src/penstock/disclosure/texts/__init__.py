"""Descriptions as plain text, cut where words end."""
