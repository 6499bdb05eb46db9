"""The media types in which a view takes a body, by its parsers."""

from __future__ import annotations

from typing import Final

from rest_framework.parsers import FileUploadParser
from rest_framework.views import APIView

JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
_ANYTHING: Final = "*/*"


def takes_files(view: APIView) -> bool:
    return MULTIPART in _media_types(view)


def takes_only_a_file(view: APIView) -> bool:
    """Return whether the body of a request to a view is a file, and nothing else."""
    parsers = view.get_parsers()
    return bool(parsers) and all(isinstance(parser, FileUploadParser) for parser in parsers)


def content_type_of(view: APIView) -> str:
    """Return the media type for a view's bodies: JSON, unless the view takes only forms."""
    kinds = _media_types(view)
    takes_json = any(kind == _ANYTHING or kind.endswith("json") for kind in kinds)
    forms = (kind for kind in (MULTIPART, FORM) if kind in kinds)
    return JSON if takes_json else next(forms, JSON)


def _media_types(view: APIView) -> set[str]:
    return {parser.media_type for parser in view.get_parsers()}
