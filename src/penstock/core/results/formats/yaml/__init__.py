"""YAML."""
