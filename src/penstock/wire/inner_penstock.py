"""A Penstock in front of another: tokens of both sides reach the Penstock that gave them.

The model sees one reader. A token that our store knows is answered here, and never sent on, also if
it belongs to another caller, or if its text was changed behind the secret. While the store is down,
no token is sent on. Any other token goes to upstream's reader. A token of ours goes there too once
the store has dropped its entry: it opens nothing any more, and the Penstock behind refuses it with the
same words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from penstock.core.model import continuation
from penstock.core.model.reply import Reply
from penstock.core.model.values import Refusal
from penstock.core.protocol.entries import is_unknown
from penstock.core.protocol.references import PREFIX
from penstock.core.views.joined_tables import read_tables
from penstock.core.views.request import TOKEN_FIELD, is_absent
from penstock.wire import messages
from penstock.wire.call_facts import call_of
from penstock.wire.effects import Read, Steps
from penstock.wire.request import Request

APART: Final = Refusal(
    "Some of these results are kept by Penstock, and some by the server behind it, or have expired.",
    "Join results that are kept in one place.",
)
_MOST_SPELLINGS: Final = 30  # a text with more is nobody's token
_REFERENCE: Final = re.compile(re.escape(PREFIX) + r"([\w.-]+)", re.ASCII)


def is_in_front(request: Request) -> bool:
    """Return whether upstream has a reader like ours."""
    toolbox = request.toolbox
    return toolbox is not None and toolbox.has_inner_reader


def joined(ours: str, theirs: str) -> str:
    """Return our instructions before upstream's, without the lines that upstream's begin with."""
    first = theirs.split("\n\n", 1)[0].split("\n")
    new = [line for line in ours.split("\n") if line not in first]
    return "\n\n".join(filter(None, ("\n".join(new), theirs)))


def is_theirs(request: Request, token: object) -> Steps[bool]:
    """Return whether a token may be upstream's: there is a reader, and our store does not know the
    token. Read as little as possible to find out."""
    spellings = _spellings(token)
    if not is_in_front(request) or len(spellings) > _MOST_SPELLINGS:
        return False
    for text in spellings:
        call = call_of(request, {TOKEN_FIELD: text, "page_size": 1})
        reply: Reply = yield Read(replace(call, tool="", schema=None))
        if not is_unknown(reply.reason):
            return False
    return True


def _spellings(token: object) -> list[object]:
    """Return a token, and the token of each secret in its text. A text that is no token because of
    one wrong character may hold the whole secret of a result of ours."""
    more = continuation.tokens_in(token) if isinstance(token, str) else []
    return [token, *(text for text in dict.fromkeys(more) if text != token)]


def sides_of(request: Request) -> Steps[set[bool]]:
    """Return for the tokens of a call of the reader whether they may be upstream's."""
    token, given = (request.decoded_object.get(name) for name in (TOKEN_FIELD, "tables"))
    tables = () if is_absent(given) else read_tables(given)
    if is_absent(token) or isinstance(tables, Refusal):
        return {False}  # our reader says what is wrong
    sides: set[bool] = set()
    for each in (token, *(table.token for table in tables)):
        sides.add((yield from is_theirs(request, each)))
    return sides


def their_arguments(request: Request) -> Steps[set[str]]:
    """Return the names of the arguments whose references are all upstream's, which upstream
    resolves."""
    found: set[str] = set()
    if not is_in_front(request):
        return found
    known: dict[str, bool] = {}  # a text may repeat a token thousands of times
    for name, raw in messages.members_of(request.arguments or b"{}").items():
        tokens = dict.fromkeys(_REFERENCE.findall(str(messages.decoded(raw))))
        for token in tokens:
            if token not in known:
                known[token] = yield from is_theirs(request, token)
        if tokens and all(known[token] for token in tokens):
            found.add(name)
    return found
