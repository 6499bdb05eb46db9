"""What an expression of Vega reads of the row: `datum.a + datum['b c']` reads a and b c.

An expression is not run but followed, in one pass over its words: what each part may stand for
(`penstock.widgets.vega.reads`) is known when its end is reached. The grammar is that of
vega-expression 6; a text that Vega would refuse is refused here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from penstock.widgets.vega.paths import NotAPath
from penstock.widgets.vega.reads import DATUM, OTHER, ROW, Read, Reading, Value, constant
from penstock.widgets.vega.tokens import Kind, NotAnExpression, Token, tokens

# More parentheses inside each other than anyone writes, and few enough for any stack.
_DEEPEST = 60

_LOOSEST_FIRST = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!=", "===", "!=="),
    ("<", ">", "<=", ">=", "in", "instanceof"),
    ("<<", ">>", ">>>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_BINDING: Final = MappingProxyType(
    {operator: rank for rank, alike in enumerate(_LOOSEST_FIRST) for operator in alike}
)
_COMPARISONS = frozenset(["==", "!=", "===", "!=="])
_NO_OPERANDS = frozenset(
    [
        *("if", "in", "do", "var", "for", "new", "try", "let", "this", "else", "case", "void"),
        *("with", "enum", "while", "break", "catch", "throw", "const", "yield", "class", "super"),
        *("return", "typeof", "delete", "switch", "export", "import", "public", "static"),
        *("default", "finally", "extends", "package", "private", "function", "continue"),
        *("debugger", "interface", "protected", "instanceof", "implements"),
    ]
)
_CONSTANTS = frozenset(["true", "false", "null"])


def expression_reads(text: str) -> frozenset[Read]:
    """What this expression reads. Raises NotAnExpression for a text that Vega would refuse."""
    try:
        return _Follower(text).follow()
    except (NotAPath, RecursionError) as error:
        raise NotAnExpression(text) from error


class _Follower:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._ahead = next(self._tokens)
        self._depth = 0
        self._reading = Reading()

    def follow(self) -> frozenset[Read]:
        value = self._conditional()
        if self._ahead.kind is not Kind.END:
            raise NotAnExpression(self._text)
        self._reading.use(value)
        return frozenset(self._reading.reads)

    # ---- words

    def _advance(self) -> Token:
        token = self._ahead
        self._ahead = next(self._tokens, token)
        return token

    def _at(self, mark: str) -> bool:
        return self._ahead.kind is Kind.MARK and self._ahead.value == mark

    def _skip(self, mark: str) -> bool:
        found = self._at(mark)
        if found:
            self._advance()
        return found

    def _expect(self, mark: str) -> None:
        if not self._skip(mark):
            raise NotAnExpression(self._text)

    # ---- the grammar, from the loosest binding to the tightest

    def _conditional(self) -> Value:
        """One loop and not a recursion, because a chain of choices may be long."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotAnExpression(self._text)
        value = self._binary()
        ways = []
        while self._skip("?"):
            self._reading.ask(value)
            ways.append(self._conditional())
            self._expect(":")
            value = self._binary()
        self._depth -= 1
        return self._reading.choose(OTHER, *ways, value)

    def _binary(self) -> Value:
        values = [self._unary()]
        waiting: list[str] = []
        while (operator := self._operator()) is not None:
            self._advance()
            while waiting and _BINDING[waiting[-1]] >= _BINDING[operator]:
                self._join(values, waiting.pop())
            waiting.append(operator)
            values.append(self._unary())
        while waiting:
            self._join(values, waiting.pop())
        return values[0]

    def _operator(self) -> str | None:
        is_word = self._ahead.kind in (Kind.MARK, Kind.NAME)
        return self._ahead.value if is_word and self._ahead.value in _BINDING else None

    def _join(self, values: list[Value], operator: str) -> None:
        right, left = values.pop(), values.pop()
        result = OTHER
        if operator == "&&":
            self._reading.ask(left)
            result = right.variable()
        elif operator == "||":
            self._reading.ask(left)
            result = left.or_else(right)
        elif operator == "in":
            self._reading.ask(self._reading.member(right, left))
        elif operator in _COMPARISONS:
            self._reading.ask(left, right)
        else:
            self._reading.use(left, right)
        values.append(result)

    def _unary(self) -> Value:
        sign = ""
        signed = False
        while self._ahead.kind is Kind.MARK and self._ahead.value in "+-!~":
            sign = self._advance().value
            signed = True
        value = self._postfix()
        if not signed:
            return value
        return self._reading.ask(value) if sign == "!" else self._reading.use(value)

    def _postfix(self) -> Value:
        value = self._primary()
        while True:
            if self._skip("."):
                if self._ahead.kind is not Kind.NAME:
                    raise NotAnExpression(self._text)
                value = self._reading.member(value, constant(self._advance().value))
            elif self._skip("["):
                value = self._reading.member(value, self._conditional())
                self._expect("]")
            elif self._at("("):
                raise NotAnExpression(self._text)
            else:
                return value

    def _primary(self) -> Value:
        token = self._advance()
        if token.kind is Kind.NAME:
            return self._named(token.value)
        if token.kind is Kind.TEXT or (token.kind is Kind.NUMBER and token.value):
            return constant(token.value)
        if token.kind in (Kind.NUMBER, Kind.PATTERN):
            return OTHER
        if token == (Kind.MARK, "("):
            value = self._conditional()
            self._expect(")")
            return value
        if token == (Kind.MARK, "["):
            return self._list()
        if token == (Kind.MARK, "{"):
            return self._object()
        raise NotAnExpression(self._text)

    def _list(self) -> Value:
        while not self._skip("]"):
            if not self._skip(","):
                self._reading.use(self._conditional())
        return OTHER

    def _object(self) -> Value:
        while not self._skip("}"):
            if self._advance().kind not in (Kind.NAME, Kind.TEXT, Kind.NUMBER):
                raise NotAnExpression(self._text)
            self._expect(":")
            self._reading.use(self._conditional())
            if not self._at("}"):
                self._expect(",")
        return OTHER

    def _named(self, name: str) -> Value:
        if self._skip("("):
            return self._reading.call(name, self._arguments())
        if name in _NO_OPERANDS:
            raise NotAnExpression(self._text)
        if name in _CONSTANTS:
            return constant(name)
        return {"datum": DATUM, "parent": ROW}.get(name, OTHER)

    def _arguments(self) -> Sequence[Value]:
        arguments: list[Value] = []
        while not self._skip(")"):
            if arguments:
                self._expect(",")
            arguments.append(self._conditional())
        return arguments
