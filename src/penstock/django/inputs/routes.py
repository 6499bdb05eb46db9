"""The URL patterns behind endpoints, with the converters of their parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.schemas.generators import EndpointEnumerator

from penstock.django.endpoints import Endpoint


@dataclass(frozen=True, slots=True)
class Route:
    """A URL pattern as written, from the root, and the converters of its parameters."""

    written: str = ""
    converters: Mapping[str, Any] = field(default_factory=dict)


_Index = Mapping[tuple[str, Callable[..., Any]], Route]


def route_of(endpoint: Endpoint, urlconf: Any = None) -> Route:
    """Return the endpoint's route in the URLconf; an empty route if it is not there."""
    return _index(get_resolver(urlconf)).get((endpoint.path, endpoint.callback), Route())


@lru_cache(4)
def _index(resolver: URLResolver) -> _Index:
    """Index a URLconf. Another URLconf has another resolver, so the cached index is never stale."""
    path_of = EndpointEnumerator(patterns=[]).get_path_from_regex
    return {
        (path_of(route.written), callback): route
        for callback, route in _walk(resolver.url_patterns, Route())
    }


def _walk(
    patterns: Iterable[URLPattern | URLResolver], above: Route
) -> Iterator[tuple[Callable[..., Any], Route]]:
    for item in patterns:
        pattern = item.pattern
        converters = {**above.converters, **pattern.converters}
        route = Route(above.written + str(pattern), converters)
        if isinstance(item, URLResolver):
            yield from _walk(item.url_patterns, route)
        else:
            yield item.callback, route
