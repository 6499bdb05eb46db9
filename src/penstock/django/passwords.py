"""Views that take passwords or hand out tokens. An agent should do neither unasked.

Classes of serializers are read, and none is made: a large site has thousands, and each would take
milliseconds at every start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from django.contrib.auth.base_user import AbstractBaseUser
from rest_framework.serializers import ModelSerializer
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.bodies import has_body
from penstock.django.inputs.faults import quietly
from penstock.django.inputs.handlers import validating_serializer
from penstock.django.inputs.views import model_of_serializer, view_of

_PACKAGES: Final = (
    "allauth.",
    "dj_rest_auth.",
    "djoser.",
    "drf_social_oauth2.",
    "knox.",
    "oauth2_provider.",
    "rest_framework.authtoken.",
    "rest_framework_simplejwt.",
)
_PASSWORD: Final = re.compile(
    r"\w*(password|passwd|passphrase)_?(\d|again|confirm\w*|repeat\w*)?|(\w+_)?t?otp(_\w+)?",
    re.IGNORECASE,
)


def takes_password(endpoint: Endpoint) -> bool:
    """Return whether an endpoint takes a password: its view is one of a package for logins, or
    inherits from one, or its serializer has a field for a password."""
    bases = (base for base in endpoint.view_class.__mro__ if issubclass(base, APIView))
    if any(f"{base.__module__}.".startswith(_PACKAGES) for base in bases):
        return True
    if not has_body(endpoint):
        return False
    return any(quietly(partial(_has_password, kind)) for kind in _serializers(endpoint))


def _serializers(endpoint: Endpoint) -> Iterator[Any]:
    """Yield the serializer classes that may read the body."""
    view: Any = quietly(lambda: view_of(endpoint))
    yield quietly(getattr(view, "get_serializer_class", lambda: None))
    yield getattr(view, "serializer_class", None)
    yield quietly(lambda: validating_serializer(endpoint))


def _has_password(serializer: Any) -> bool:
    declared: Mapping[str, Any] = getattr(serializer, "_declared_fields", {})
    is_record = isinstance(serializer, type) and issubclass(serializer, ModelSerializer)
    if any(_is_password(name, field, is_record) for name, field in declared.items()):
        return True
    return is_record and any(_PASSWORD.fullmatch(name) for name in _from_model(serializer))


def _is_password(name: str, field: Any, is_record: bool) -> bool:
    """Return whether a field is for a password. A record may have one that is data like any other, as
    that of a network, which clients may read."""
    if field.read_only:
        return False
    if field.style.get("input_type") == "password":
        return True
    return bool(_PASSWORD.fullmatch(name)) and (field.write_only or not is_record)


def _from_model(serializer: Any) -> Iterator[str]:
    """Yield the fields that a serializer takes from its model, and that may be passwords."""
    meta = serializer.Meta
    more = getattr(meta, "extra_kwargs", {})
    yield from (name for name, options in more.items() if options.get("write_only"))
    named = getattr(meta, "fields", ())
    is_written = "password" in named and not more.get("password", {}).get("read_only")
    if is_written and issubclass(model_of_serializer(serializer), AbstractBaseUser):
        yield "password"
