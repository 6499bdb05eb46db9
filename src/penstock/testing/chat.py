"""A model behind an OpenAI-compatible endpoint: `POST {url}/chat/completions`.

It uses only the standard library, so that testing an agent needs no HTTP client.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, ClassVar, Final, Self
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from penstock.errors import InvalidSetting, PenstockError
from penstock.testing.models import Message

URL_VARIABLE: Final = "PENSTOCK_MODEL_URL"
NAME_VARIABLE: Final = "PENSTOCK_MODEL"
KEY_VARIABLE: Final = "PENSTOCK_MODEL_KEY"
_PATH: Final = "/chat/completions"
_PATIENCE: Final = 300.0
_SHOWN_CHARS: Final = 500
_STEPS: Final = {
    401: f"Check {KEY_VARIABLE}.",
    403: f"Check {KEY_VARIABLE}, and that it may use the model.",
    404: f"Check {URL_VARIABLE} (it ends before {_PATH}) and {NAME_VARIABLE}.",
    429: "Wait, or ask for a higher rate limit.",
}


class EndpointError(PenstockError):
    """The endpoint of the model did not answer with a message."""

    next_step = f"Check {URL_VARIABLE} and {NAME_VARIABLE}, and the endpoint's own log."

    def __init__(self, message: str, *, status: int | None = None) -> None:
        self.status = status
        super().__init__(message, next_step=_STEPS.get(status or 0))


@dataclass(frozen=True)
class ChatModel:
    """A model behind an OpenAI-compatible endpoint."""

    url: str  # the base, such as https://api.openai.com/v1
    name: str
    key: str = field(default="", repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)  # for all requests: {"temperature": 0}
    patience: float = _PATIENCE

    wanted: ClassVar[str] = (
        f"no model to test with: set {URL_VARIABLE} (an OpenAI-compatible endpoint, such as "
        f"http://localhost:11434/v1) and {NAME_VARIABLE}, and {KEY_VARIABLE} if it needs a key"
    )

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            why = "it must begin with http:// or https://."
            raise InvalidSetting(URL_VARIABLE, self.url, why)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Self | None:
        """Return the model, or None to skip a test, with `wanted` as the reason."""
        given = os.environ if environment is None else environment
        url, name = given.get(URL_VARIABLE, ""), given.get(NAME_VARIABLE, "")
        if not url and not name:
            return None
        for variable, value in ((URL_VARIABLE, url), (NAME_VARIABLE, name)):
            if not value:
                raise InvalidSetting(variable, value, "set both variables, or neither.")
        return cls(url, name, given.get(KEY_VARIABLE, ""))

    async def reply(
        self, messages: Sequence[Message], functions: Sequence[Mapping[str, Any]]
    ) -> Message:
        body = {"model": self.name, "messages": messages, "tools": functions, **self.options}
        return _message(await asyncio.to_thread(self._post, json.dumps(body).encode()))

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "penstock"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        address = self.url.rstrip("/").removesuffix(_PATH) + _PATH
        request = Request(address, body, headers)  # noqa: S310 (the scheme was checked)
        try:
            with build_opener(_Stay).open(request, timeout=self.patience) as response:
                answer: bytes = response.read()
                return answer
        except HTTPError as error:
            with error:
                raise self._refused(error.code, error.read()) from None
        except (URLError, OSError, HTTPException) as error:
            raise EndpointError(f"{address} cannot be reached: {error}.") from error

    def _refused(self, status: int, body: bytes) -> EndpointError:
        told = _told(body).replace(self.key, "***") if self.key else _told(body)
        return EndpointError(f"The endpoint answered {status}: {told}", status=status)


class _Stay(HTTPRedirectHandler):
    """A handler that follows no redirect: the key is meant for one endpoint."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _told(body: bytes) -> str:
    """Return the endpoint's text about an error, in any of several formats."""
    text = body.decode(errors="replace").strip()
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        error = text
    told = error.get("message", text) if isinstance(error, dict) else error
    return str(told)[:_SHOWN_CHARS] or "nothing more."


def _message(body: bytes) -> Message:
    try:
        message = json.loads(body)["choices"][0]["message"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        shown = body[:_SHOWN_CHARS].decode(errors="replace")
        raise EndpointError(f"The reply is not a chat completion: {shown!r}.") from error
    if not isinstance(message, dict):
        raise EndpointError(f"The reply holds no message: {message!r}.")
    return message
