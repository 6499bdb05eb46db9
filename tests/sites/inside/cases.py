"""One GET of an endpoint, with its parameters."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode


@dataclass(frozen=True)
class Case:
    path: str  # with the names of its parameters in braces
    parameters: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    pages_by: str = ""  # the parameter for pages of a bare list, which does not say that it has any
    callers: tuple[str, ...] = ()  # only these, if a list is very long

    def url(self, **more):
        """Return the path and query of the request, with more in the query."""
        query = urlencode({**self.query, **more})
        return self.path.format(**self.parameters) + (f"?{query}" if query else "")

    @property
    def arguments(self):
        """The arguments of the tool."""
        return {**self.parameters, **self.query}

    @property
    def place(self):
        """The endpoint, as the doctor tells it."""
        return f"GET {self.path}"
