"""The results of tools, made from a view's response or a function's value."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from types import NoneType
from typing import Any, Final

import msgspec
from django.db.models.fields.files import FieldFile
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.encoding import force_str
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from penstock.core.json.encoding import encode, encode_all
from penstock.core.model.values import Result
from penstock.errors import InvalidResult

STATUS_CODE: Final = "status_code"
FIRST_REDIRECT: Final = 300
FIRST_ERROR: Final = 400
_MOST_STREAMED: Final = 64_000_000
_EXPLAINED: Final = {
    401: "Authenticate, and call again.",
    403: "This caller may not do that; another caller may.",
    404: "Nothing was found for these arguments: list or search first.",
    405: "Use another tool: the view does not take this.",
    413: "Ask for less.",
    409: "Read the current state, and call again with arguments that fit it.",
    429: "Wait as the error says, and call again.",
}
_BY_KIND: Final = (
    (500, "The site failed; its log says why. The same call will probably fail again."),
    (400, "Correct the arguments that are named, and call again."),
    (0, "The view is not for tools, or needs a login: use another tool."),
)
_PLAIN: Final = frozenset({str, int, float, bool, NoneType})
_TEXTS: Final = ("xml", "yaml", "csv", "javascript", "json", "jsonl")


class TooLong(Exception):
    """A streamed response above the limit."""


class _Encoder(JSONEncoder):
    """REST framework's encoder, with files as their URLs and geometries as GeoJSON."""

    def default(self, obj: Any) -> Any:
        if isinstance(obj, FieldFile):
            return obj.url if obj else None
        geometry = getattr(obj, "geojson", None)
        if isinstance(geometry, str):
            return json.loads(geometry)
        return super().default(obj)


class _FunctionEncoder(_Encoder):
    """The encoder of a function's value, which keeps all digits of a decimal."""

    def default(self, obj: Any) -> Any:
        return str(obj) if isinstance(obj, Decimal) else super().default(obj)


def encoded(value: Any) -> bytes:
    """Return a view's data as JSON, as REST framework would write it."""
    if _is_plain(value):
        return encode(value)
    try:
        return _by(_Encoder, value)
    except (TypeError, ValueError, RecursionError):
        return encode(value)


def encoded_rows(rows: Sequence[Any]) -> list[bytes]:
    return encode_all(rows)[0] if _is_plain(rows) else [encoded(row) for row in rows]


def _is_plain(value: Any) -> bool:
    """Return whether a value has only types of JSON, which every encoder writes alike."""
    try:
        return _has_plain_types([value])
    except RecursionError:  # encoders tell what is wrong with a value that contains itself
        return False


def _has_plain_types(values: Collection[Any]) -> bool:
    if _PLAIN.issuperset(map(type, values)):
        return True
    others = [one for one in values if type(one) not in _PLAIN]
    if not all(isinstance(one, dict | list) for one in others):
        return False
    inner = (one.values() if isinstance(one, dict) else one for one in others)
    return all(map(_has_plain_types, inner))


def _by(encoder: type[JSONEncoder], value: Any) -> bytes:
    text = json.dumps(
        value, cls=encoder, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return text.encode("utf-8", "surrogatepass")


def result_of(value: Any) -> Result:
    """Make a result of a function's value."""
    if isinstance(value, Result):
        return value
    if isinstance(value, HttpResponseBase):
        return result_of_response(value)
    if isinstance(value, str):
        return Result.of(value)
    try:
        encode(value)
    except InvalidResult as error:
        try:
            return Result(structured=msgspec.Raw(_by(_FunctionEncoder, value)))
        except (TypeError, ValueError, RecursionError):
            raise error from None
    return Result(structured=value)


def with_word(result: Result, word: str, *, is_small: bool) -> Result:
    """Add a note for the agent to a result. Beside a small one it is a second text. A large one is
    stored, and becomes a part of an object with the note: it is not a list, so that nothing counts
    its rows as those of a whole list."""
    if result.is_error:
        return result
    if result.content or is_small:
        own = result.content or (_text(bytes(result.structured).decode()),)
        return Result(content=(*own, _text(word)))
    rows = result.structured
    page = {"results": rows} if bytes(rows).startswith(b"[") else rows
    return Result(structured={"notice": word, "page": page})


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def result_of_response(response: HttpResponseBase) -> Result:
    """Make a result of a view's response: of its data before rendering, if it has any."""
    try:
        return _result_of(response)
    except TooLong:
        told = f"The response is longer than {_MOST_STREAMED:,} bytes; it was not kept."
        return failure(413, {"detail": told})
    finally:
        _release(response)


def _release(response: HttpResponseBase) -> None:
    """Close a response's resources. Its own `close` would signal the end of the request."""
    for close in getattr(response, "_resource_closers", ()):
        with suppress(Exception):
            close()


def _result_of(response: HttpResponseBase) -> Result:
    status = response.status_code
    if status >= FIRST_ERROR:
        return failure(status, _data_of(response))
    if status >= FIRST_REDIRECT:
        told = f"The view redirects to {response.headers.get('Location', 'elsewhere')}."
        return failure(status, {"detail": told})
    if isinstance(response, Response):
        if response.data is None:
            return Result(structured={STATUS_CODE: status})
        return Result(structured=msgspec.Raw(encoded(response.data)))
    return _content(response, status)


def _data_of(response: HttpResponseBase) -> Any:
    if isinstance(response, Response):
        return response.data
    content = _bytes_of(response)
    try:
        return json.loads(content)
    except ValueError:
        return force_str(content[:2_000], errors="replace")


def json_of(response: HttpResponseBase) -> Any:
    """Return the value in a view's response, before rendering or after; None if it is not JSON."""
    if isinstance(response, Response):
        return response.data
    is_json = "json" in response.headers.get("Content-Type", "").lower()
    if not is_json or not isinstance(response, HttpResponse):
        return None
    with suppress(ValueError):
        return json.loads(_bytes_of(response))
    return None


def failure(status: int, detail: Any) -> Result:
    """Make a result of an error of the API, in the API's own words."""
    told, detail = _sentence_and_rest(detail)
    error = (
        force_str(told) if told is not None else f"The API refused the call with status {status}."
    )
    usual = next(step for first, step in _BY_KIND if status >= first)
    next_step = _EXPLAINED.get(status, usual)
    said = {"error": error, "next_step": next_step, STATUS_CODE: status}
    if detail:
        said["detail"] = detail
    return Result(content=({"type": "text", "text": encoded(said).decode()},), is_error=True)


def _sentence_and_rest(detail: Any) -> tuple[Any, Any]:
    """Return the sentence in which REST framework says what is wrong, and the other details."""
    if isinstance(detail, Mapping) and isinstance(detail.get("detail"), str):
        return detail["detail"], {name: it for name, it in detail.items() if name != "detail"}
    return None, detail


def _content(response: HttpResponseBase, status: int) -> Result:
    """Make a result of a response without data: JSON, text, or else a file."""
    content = _bytes_of(response)
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not content:
        return Result(structured={STATUS_CODE: status})
    if "json" in kind:
        with suppress(msgspec.DecodeError):  # lines of JSON, for instance
            return Result(structured=msgspec.Raw(msgspec.json.format(content, indent=-1)))
    if kind.startswith("text/") or kind.endswith(_TEXTS):
        charset = getattr(response, "charset", "utf-8")
        return Result.of(content.decode(charset, "replace"))
    data = base64.b64encode(content).decode()
    family = kind.partition("/")[0]
    if family in ("image", "audio"):
        return Result(content=({"type": family, "data": data, "mimeType": kind},))
    resource = {"uri": "file:///response", "mimeType": kind, "blob": data}
    return Result(content=({"type": "resource", "resource": resource},))


def _bytes_of(response: HttpResponseBase) -> bytes:
    if isinstance(response, StreamingHttpResponse):
        parts: list[bytes] = []
        size = 0
        for part in response:
            parts.append(part)
            size += len(part)
            if size > _MOST_STREAMED:
                raise TooLong
        return b"".join(parts)
    if isinstance(response, HttpResponse):
        render = getattr(response, "render", None)
        if callable(render) and not getattr(response, "is_rendered", True):
            render()
        return bytes(response.content)
    return b""
