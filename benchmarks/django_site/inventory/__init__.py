"""Devices at sites, and reports of many kilobytes."""
