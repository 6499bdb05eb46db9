"""The query parameters that a site's code reads by names, found in the source of its functions.

The reads count whose name stands in the code: as text, as a constant of the module, or as an attribute
of the class. Any other use of the query string may read anything.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, Final

from penstock.django.inputs.code_names import READS_QUERY, is_frameworks, names_in, unwrapped

_REQUEST: Final = "request"


@dataclass(frozen=True, slots=True)
class QueryReads:
    """The query parameters that some code reads."""

    names: tuple[str, ...]
    are_all: bool  # the code can read no others


def reads_behind(kind: Any, method: str) -> QueryReads:
    """Return what a method of a class reads from the query string, with the methods of the class and
    the functions of the site that it calls."""
    return _reads_behind(kind, method)


@lru_cache(4_096)
def _reads_behind(kind: Any, method: str) -> QueryReads:
    found: list[str | None] = []
    seen, waiting = {method}, [method]
    while waiting:
        for function in _versions(kind, waiting.pop()):
            code = _Code.of(function)
            if code is None:
                found.append(None)
                continue
            called = code.methods_called() - seen
            seen |= called
            waiting += sorted(called)
            if not is_frameworks(function):
                found += code.reads(kind)
    names = dict.fromkeys(name for name in found if name is not None)
    return QueryReads(tuple(names), are_all=None not in found)


def _versions(kind: type, name: str) -> Iterator[FunctionType]:
    """Yield a method of a class, and the methods that it extends by `super`."""
    for base in kind.__mro__:
        held = vars(base).get(name)
        if isinstance(held, property | cached_property):
            held = held.fget if isinstance(held, property) else held.func
        function = unwrapped(held) if inspect.isfunction(held) else None
        if not inspect.isfunction(function):
            continue
        yield function
        if "super" not in names_in(function):
            return


@dataclass(frozen=True)
class _Code:
    """The source of a function as a tree."""

    function: FunctionType
    parents: Mapping[ast.AST, ast.AST]

    @staticmethod
    @lru_cache(4_096)
    def of(function: FunctionType) -> _Code | None:
        """Return the code of a function; None without its source."""
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, SyntaxError, TypeError):
            return None
        nodes = ast.walk(tree)
        return _Code(function, {c: node for node in nodes for c in ast.iter_child_nodes(node)})

    def methods_called(self) -> set[str]:
        """Return the attributes of `self` and of `super()`, which may be methods."""
        attributes = (node for node in self.parents if isinstance(node, ast.Attribute))
        return {node.attr for node in attributes if self._is_own(node.value)}

    def reads(self, kind: type, *, is_helper: bool = False) -> Iterator[str | None]:
        """Yield the names of the parameters that are read; None for a read by another name. What a
        helper of a method calls is not looked into."""
        aliases = {self._alias(node) for node in self.parents if _is_query(node)} - {None}
        for node in self.parents:
            match node:
                case ast.Name(id=name, ctx=ast.Load()) if name in aliases:
                    yield self._name_read(node, kind)
                case ast.Attribute() if _is_query(node) and self._alias(node) is None:
                    yield self._name_read(node, kind)
                case ast.Call(func=called, args=given) if any(map(_is_request, given)):
                    yield from [None] if is_helper else self._reads_of_called(called, kind)

    def _is_own(self, node: ast.AST) -> bool:
        """Return whether an expression is `self` or `super()`."""
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id == "super"
        names = self.function.__code__.co_varnames[:1]
        return isinstance(node, ast.Name) and node.id in names

    def _alias(self, query: ast.AST) -> str | None:
        """Return the variable to which the query string is assigned, if it is."""
        parent = self.parents[query]
        target = parent.targets[0] if isinstance(parent, ast.Assign) else None
        return target.id if isinstance(target, ast.Name) else None

    def _name_read(self, query: ast.AST, kind: type) -> str | None:
        match self.parents[query]:
            case ast.Attribute(attr="get" | "getlist") as getter:
                match self.parents[getter]:
                    case ast.Call(args=[name, *_]):
                        return self._text(name, kind)
            case ast.Subscript(value=value, slice=name) if value is query:
                return self._text(name, kind)
            case ast.Compare(left=name, ops=[ast.In() | ast.NotIn()]):
                return self._text(name, kind)
        return None

    def _text(self, node: ast.AST, kind: type) -> str | None:
        """Return the text that an expression stands for, if the code tells."""
        found: Any = None
        match node:
            case ast.Constant(value=found):
                pass
            case ast.Name(id=name):
                found = self.function.__globals__.get(name)
            case ast.Attribute(value=value, attr=name) if self._is_own(value):
                found = inspect.getattr_static(kind, name, None)
        return found if isinstance(found, str) else None

    def _reads_of_called(self, called: ast.AST, kind: type) -> Iterator[str | None]:
        """Yield what a function reads that is called with the request."""
        if isinstance(called, ast.Attribute) and self._is_own(called.value):
            return  # a method, which is looked into by itself
        name = called.id if isinstance(called, ast.Name) else ""
        function = unwrapped(self.function.__globals__.get(name))
        code = _Code.of(function) if inspect.isfunction(function) else None
        if code is None:
            yield None
        elif not is_frameworks(function):
            yield from code.reads(kind, is_helper=True)


def _is_query(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in READS_QUERY


def _is_request(node: ast.AST) -> bool:
    return _REQUEST in (getattr(node, "id", None), getattr(node, "attr", None))
