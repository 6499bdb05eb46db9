"""How a list may be sorted, as a JSON Schema."""

from __future__ import annotations

import re
from typing import Final

from penstock.django.inputs.schemas import Schema, described

_NAME: Final = re.compile(r"[\w.]+")


def ordering_schema(names: list[str]) -> Schema:
    """The names stand in the pattern: what is misspelt there would be passed over in silence."""
    text = "Fields to sort by, with commas between them; - before a name for descending order."
    if not names or not all(_NAME.fullmatch(name) for name in names):
        return described({"type": "string"}, text, f"Of {', '.join(names)}." if names else "")
    either = "|".join(name.replace(".", r"\.") for name in names)
    return described({"type": "string", "pattern": f"^(-?({either})(, *|$))+$"}, text)
