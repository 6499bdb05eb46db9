"""Tool lists in less room: forms of the list, and full descriptions on demand."""

from penstock.disclosure.catalogue import Catalogue, Described
from penstock.disclosure.forms import Lister, Listing
from penstock.disclosure.grants import Grants
from penstock.disclosure.workflow import system_prompt

__all__ = ["Catalogue", "Described", "Grants", "Lister", "Listing", "system_prompt"]
