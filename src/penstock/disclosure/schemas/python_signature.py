"""Tools as functions of Python: a line that a model reads, and a stub for a type checker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from penstock.disclosure.schemas.python_names import is_keyword_argument, python_name
from penstock.disclosure.schemas.python_types import ANY, checked_type, literal, shown_type
from penstock.disclosure.schemas.reading import SchemaPlace
from penstock.log import logger

_DEFAULT_CHARS: Final = 20
_SOME_DEFAULT: Final = "..."
_OTHERS: Final = "**others"
_FEW_PARAMETERS: Final = 8
Made = TypeVar("Made")


class _Parameters(NamedTuple):
    """The parameters of a tool, in the order of its signature: the required ones first."""

    places: Mapping[str, SchemaPlace]
    needed: frozenset[str]  # the required ones
    own: frozenset[str]  # those that the schema itself describes, not only one of its branches
    is_closed: bool  # the tool refuses every other parameter
    has_others: bool  # the schema says something about other parameters

    @property
    def are_plain(self) -> bool:
        """Return whether all can be given by name."""
        return all(map(is_keyword_argument, self.places))


class ParameterNotes(NamedTuple):
    """Notes on parameters that a signature shows, by name."""

    comments: Mapping[str, str] = {}  # behind a parameter
    types: Mapping[str, str] = {}  # in place of the type


_NO_NOTES: Final = ParameterNotes()


def python_signature(
    tool_name: str, schema: Mapping[str, Any], notes: ParameterNotes = _NO_NOTES
) -> str:
    """Return a tool as a model calls it in a program: `read_text_file(path: str, head: int = ...)`.
    If the tool or a parameter has no name of Python's, return `call("odd-tool", {"a-b": str})`."""
    name = python_name(tool_name)
    unread = f"call({literal(tool_name)}, {{…}})" if name is None else f"{name}({_OTHERS})"
    return _from_schema(schema, lambda found: _signature(tool_name, found, notes), unread)


def python_stub(tool_name: str, schema: Mapping[str, Any]) -> str:
    """Return the line that declares a tool to a type checker, or nothing for a tool that only
    `call` can call. The line needs `Any` of `typing`. It admits every call that the schema admits."""
    name = python_name(tool_name)
    if name is None:
        return ""
    unread = "*args: Any, **kwargs: Any"
    taken = _from_schema(schema, lambda found: _stub(found) if found.are_plain else unread, unread)
    return f"async def {name}({taken}) -> Any: ..."


def shown_types(schema: Mapping[str, Any]) -> dict[str, str]:
    """Return the type of each parameter as the signature shows it, by name."""
    return _from_schema(
        schema, lambda found: {name: _type(name, found) for name in found.places}, {}
    )


def parameter_order(schema: Mapping[str, Any]) -> list[str]:
    """Return the parameters in the order in which a program may give them by position."""
    return _from_schema(schema, lambda found: [*found.places], [])


def _from_schema(
    schema: Mapping[str, Any], make: Callable[[_Parameters], Made], unread: Made
) -> Made:
    """Return something made from the parameters of a tool. Return `unread` for a schema that cannot
    be read, because the reply or the program is about other tools too."""
    try:
        return make(_parameters(SchemaPlace.at_root(schema)))
    except Exception:  # noqa: BLE001 (one tool must not cost the program)
        logger().exception("a tool is taken to have any parameters: its schema cannot be read")
        return unread


def _parameters(root: SchemaPlace) -> _Parameters:
    place = root.with_branches()
    known, needed = place.properties, dict.fromkeys(place.required)
    names = [*needed, *(name for name in known if name not in needed)]
    return _Parameters(
        {name: place.below(known[name]) for name in names},
        frozenset(needed),
        frozenset(root.properties),
        is_closed=place.schema.get("additionalProperties") is False and not place.is_open,
        has_others=place.is_open,
    )


# -- for a model -------------------------------------------------------------------------------


def _signature(tool_name: str, found: _Parameters, notes: ParameterNotes) -> str:
    name, types = python_name(tool_name), {**notes.types}
    for parameter in found.places:
        types.setdefault(parameter, _type(parameter, found))
    if name is None or not found.are_plain:
        keys = {each: _key(each, found, types[each]) for each in found.places}
        return f"call({literal(tool_name)}, {{{_joined(keys, found, notes)}}})"
    is_long = len(found.places) > _FEW_PARAMETERS
    arguments = {
        each: _argument(each, found, types[each], is_long=is_long) for each in found.places
    }
    return f"{name}({_joined(arguments, found, notes)})"


def _joined(told: Mapping[str, str], found: _Parameters, notes: ParameterNotes) -> str:
    """Return the parameters, each with its comment. A comment ends the line."""
    written = {**told, **({_OTHERS: _OTHERS} if found.has_others else {})}
    last, parts = [*written][-1:], []
    for name, text in written.items():
        comment = notes.comments.get(name)
        parts.append(text if [name] == last else f"{text},")
        parts.append(f" # {' '.join(comment.split())}\n" if comment else " ")
    return "".join(parts).removesuffix(" ")


def _type(name: str, found: _Parameters) -> str:
    return shown_type(found.places[name], is_optional=name not in found.needed)


def _argument(name: str, found: _Parameters, kind: str, *, is_long: bool) -> str:
    """Return a parameter. In a long signature, an option without a type is a text, as most are."""
    if name in found.needed:
        return f"{name}: {kind}"
    default = _default(found.places[name])
    if is_long and kind == "str" and default == _SOME_DEFAULT:
        return f"{name}={_SOME_DEFAULT}"
    return f"{name}: {kind} = {default}"


def _key(name: str, found: _Parameters, kind: str) -> str:
    return f"{literal(name)}{'' if name in found.needed else '?'}: {kind}"


def _default(place: SchemaPlace) -> str:
    """Return the default, if it is short and says more than that there is one."""
    value = place.schema.get("default")
    if not isinstance(value, (str, int, float)):
        return _SOME_DEFAULT
    told = literal(value)
    return told if len(told) <= _DEFAULT_CHARS else _SOME_DEFAULT


# -- for a type checker ------------------------------------------------------------------------


def _stub(found: _Parameters) -> str:
    """Return the parameters. One that only some branch describes may be of any type in another."""
    told = [
        f"{name}: {checked_type(place) if name in found.own else ANY}"
        + ("" if name in found.needed else " = ...")
        for name, place in found.places.items()
    ]
    return ", ".join([*told, *([] if found.is_closed else [f"**{_others(found)}: Any"])])


def _others(found: _Parameters) -> str:
    """Return a name for other parameters that no parameter has."""
    name = "kwargs"
    while name in found.places:
        name += "_"
    return name
