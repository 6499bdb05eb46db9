"""The JSON Schema of the argument that sorts a list."""

from __future__ import annotations

import re
from typing import Final

from penstock.django.inputs.schemas import Schema, described

_NAME: Final = re.compile(r"[\w.]+")


def ordering_schema(names: list[str]) -> Schema:
    """Return a schema with the names in its pattern, because the site ignores a misspelt name."""
    text = "Fields to sort by, separated by commas; - before a name for descending order."
    if not names or not all(_NAME.fullmatch(name) for name in names):
        return described({"type": "string"}, text, f"Of {', '.join(names)}." if names else "")
    either = "|".join(name.replace(".", r"\.") for name in names)
    return described({"type": "string", "pattern": f"^(-?({either})(, *|$))+$"}, text)
