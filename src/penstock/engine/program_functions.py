"""The functions of a program that read and write the store: `rows`, `value`, `sql` and `store`.

They exchange JSON with the sandbox: see `programs.inside`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.continuation import PREFIX
from penstock.core.model.program import Source
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Mode, Refusal, Result
from penstock.core.protocol.references import Fetched
from penstock.core.views.request import TOKEN_FIELD
from penstock.gate.gate import Gate
from penstock.programs.running import Helper, HelperError

_MAIN_TABLE: Final = "result"


class StoreFunctions:
    """The functions, for one program. `call` returns the call that stored values come from."""

    def __init__(
        self,
        gate: Gate,
        call: Callable[[], Call],
        hooks: Callable[[], Mapping[str, Any]],
        add_sources: Callable[[Iterable[Source]], None],
        notify: Callable[[str], None],
    ) -> None:
        self._gate = gate
        self._call = call
        self._hooks = hooks
        self._add_sources = add_sources
        self._notify = notify

    @property
    def by_name(self) -> Mapping[str, Helper]:
        """The functions, by the names under which the sandbox calls them."""
        return {
            "_penstock_value": self.value,
            "_penstock_rows": self.rows,
            "_penstock_store": self.store,
            "_penstock_sql": self.sql,
        }

    def value(self, token: str) -> str:
        """Return the value of a stored result as JSON. A text without data is a JSON string."""
        return rawjson.text(_json(self._fetch(token)))

    def rows(self, token: str) -> str:
        """Return the rows of a stored result, or the lines of a text, as a JSON list."""
        found = self._fetch(token)
        if not found.value:
            return rawjson.text(encode(rawjson.text(found.text or b"").split("\n")))
        value = found.value
        for step in found.list_path.split("/")[1:]:
            members = {member.name: member.value for member in rawjson.members(value)}
            value = members[step.replace("~1", "/").replace("~0", "~")]
        if not value.startswith(b"["):
            raise HelperError("this result has no rows: use value(token)")
        return rawjson.text(value)

    def store(self, value: str, lost: int = 0) -> str:
        """Store a value, given as JSON, and return its token. `lost` numbers in it became null."""
        if lost:
            self._notify(f"{lost} NaN or infinite numbers were stored as null.")
        result = Result(structured=msgspec.Raw(value.encode()))
        token = self._gate.keep(self._call(), result, **self._hooks())
        if not token:
            raise HelperError("the store did not take the value")
        return token

    def sql(self, query: str, tables: Mapping[str, str]) -> str:
        """Return the rows that a SELECT finds in stored results, as a JSON list."""
        if not tables:
            raise HelperError('sql() needs a table, for instance sql("SELECT * FROM t", t=items)')
        named = dict(tables)
        if not all(str(table).startswith(PREFIX) for table in named.values()):
            raise HelperError("a table is a text: parse it, and give the rows themselves")
        main = named.pop(_MAIN_TABLE, None) or next(iter(named.values()))
        arguments = {
            TOKEN_FIELD: main,
            "mode": Mode.SQL,
            "query": query,
            "tables": named,
            "page_size": 0,
        }
        call = replace(self._call(), arguments={k: v for k, v in arguments.items() if v != {}})
        answer = self._token(self._gate.read(call, **self._hooks()))
        return self.rows(answer)

    def _fetch(self, token: str) -> Fetched:
        if not isinstance(token, str):
            raise HelperError("a token is a text")
        if not token.startswith(PREFIX):
            raise HelperError("this text is no token: parse it, and give the value itself")
        name, _, path = token.partition("#")
        found = self._gate.fetch(self._call(), name, path, **self._hooks())
        if isinstance(found, Refusal):
            raise HelperError(found.error)
        self._add_sources(found.sources)
        return found

    def _token(self, reply: Reply) -> str:
        """Return the token in a reply, or raise the error in it."""
        value = reply.value
        if isinstance(value, dict) and TOKEN_FIELD in value:
            return str(value[TOKEN_FIELD])
        told = value.get("error") if isinstance(value, dict) else None
        raise HelperError(str(told or "the answer could not be stored"))


def _json(found: Fetched) -> bytes:
    return found.value or found.as_text
