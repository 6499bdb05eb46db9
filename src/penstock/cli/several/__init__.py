"""Several servers of one file, for the option `--servers`: from a host's config to a group."""

from penstock.cli.several.chosen import chosen_group
from penstock.cli.several.group import read_group

__all__ = ["chosen_group", "read_group"]
