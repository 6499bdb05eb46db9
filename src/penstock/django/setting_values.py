"""Functions that read the values of a site's settings.

A bad value raises a `ValueError` that says what is wrong with the value.
`penstock.settings.parsers.parsed` adds the name of the setting.
"""

# ruff: noqa: TRY004 -- see above: a wrong type is a bad value like any other

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.module_loading import import_string

from penstock.django.setting_names import CACHE_SCHEME, cache_alias
from penstock.django.tiers import Tier
from penstock.errors import InvalidSetting
from penstock.settings import parsers
from penstock.stores.urls import sqlite_file

ANY_ORIGIN: Final = "*"
_SEPARATORS: Final = ("_", "-", ".")


def prose(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, str | list | tuple | set | frozenset):
        raise ValueError("must be a list of names")
    return parsers.names(value)


def allowed_names(value: Any) -> tuple[str, ...]:
    found = names(value)
    if not found:
        # Some mean nothing by an empty list, others everything: do not open a door on a guess.
        raise ValueError('an empty list is ambiguous: leave it out for all tools, or DENY "*"')
    return found


def separator(value: Any) -> str:
    if value not in _SEPARATORS:
        raise ValueError(f"must be one of: {' '.join(_SEPARATORS)}")
    return str(value)


def origins(value: Any) -> tuple[str, ...]:
    return tuple(_origin(each) for each in names(value))


def _origin(written: str) -> str:
    """Return an origin as a browser sends it: no path, and no capitals."""
    if written == ANY_ORIGIN:
        return written
    parts = urlsplit(written)
    plain = f"{parts.scheme}://{parts.netloc}".lower()
    is_plain = written.removesuffix("/").lower() == plain and "@" not in parts.netloc
    if not (parts.scheme and parts.hostname and is_plain and _has_good_port(parts.netloc)):
        raise ValueError(f"{written!r} is not an origin: write https://host or https://host:port")
    return plain


def _has_good_port(address: str) -> bool:
    try:
        return urlsplit(f"//{address}").port != 0
    except ValueError:
        return False


def tiers_by_pattern(value: Any) -> Mapping[str, Tier]:
    if not isinstance(value, Mapping):
        raise ValueError(
            'must be a dict of patterns and tiers, such as {"devices_*": "read_write"}'
        )
    return MappingProxyType({_pattern(name): _tier(name, tier) for name, tier in value.items()})


def _pattern(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise ValueError(f"{name!r} is not a pattern of tool names")
    return name


def _tier(name: str, value: Any) -> Tier:
    try:
        return Tier.parse(value)
    except InvalidSetting as error:
        raise ValueError(f"the tier of {name!r} {error.why}") from None


def function(value: Any) -> Callable[[Any], Any]:
    """Return a function that takes a request, given itself or as its dotted path."""
    found = _imported(value)
    if not callable(found):
        raise ValueError("must be a function of a request, or the dotted path of one")
    if iscoroutinefunction(found):
        raise ValueError("must not be asynchronous")
    called: Callable[[Any], Any] = found
    return called


def authentication_classes(value: Any) -> tuple[type, ...]:
    return _classes(value, lambda found: _is_class_with(found, "authenticate"))


def permission_classes(value: Any) -> tuple[type, ...]:
    # This import loads REST framework's settings, which not every command needs.
    from rest_framework.permissions import (
        OperandHolder,
        SingleOperandHolder,
    )

    composed = (OperandHolder, SingleOperandHolder)  # `IsOwner | IsAdminUser` is not a class
    return _classes(
        value,
        lambda found: isinstance(found, composed) or _is_class_with(found, "has_permission"),
    )


def _classes(value: Any, is_good: Callable[[Any], bool]) -> tuple[type, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError("must be a list of classes, or of their dotted paths")
    found = tuple(map(_imported, value))
    for written, each in zip(value, found, strict=True):
        if not is_good(each):
            raise ValueError(f"{written!r} is not a class of this kind")
    return found


def _is_class_with(found: Any, method: str) -> bool:
    return isinstance(found, type) and hasattr(found, method)


def _imported(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return import_string(value)
    except Exception as error:  # a module may raise anything while it is loaded
        raise ValueError(f"{value} cannot be imported: {error}") from error


def check_store(url: str) -> None:
    """Refuse the URL of a store that does not exist, without opening the store. The error shows
    only the scheme of the URL, which may hold a password."""
    alias = cache_alias(url)
    if alias is not None and alias not in settings.CACHES:
        raise InvalidSetting(
            "store", f"{CACHE_SCHEME}:{alias}", "CACHES has no cache of this name",
            next_step=f"Name one of: {', '.join(settings.CACHES)}.",
        )  # fmt: skip
    if alias is None:
        try:
            sqlite_file(url)
        except InvalidSetting as error:
            why = f"{error.why.rstrip('.')}, or {CACHE_SCHEME}: for one of Django's caches"
            raise InvalidSetting("store", error.value, why) from None
