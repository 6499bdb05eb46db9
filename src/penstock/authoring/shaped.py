"""`@shaped`: a tool whose result is a grid or a series, of which a summary is mostly enough.

The tool gains a parameter `output`, and answers with one of two forms, told apart by a field of that
name. The function runs alike for both. Under the middleware of an adapter, a full form that is over the
budget goes the way of every large result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final, TypeVar, get_args, get_origin, overload

from penstock.authoring import signatures
from penstock.authoring.collecting import collected, collected_async, is_asynchronous
from penstock.authoring.leaving import Leaving
from penstock.authoring.signatures import name_of
from penstock.errors import InvalidOutput, InvalidSetting
from penstock.marks import KEYWORD, Mark, new_mark, running
from penstock.shaping import Grid, Series, Shaper, cell_schema, output_schema

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
# What a function gives, made a grid or a series of.
Shape = Callable[[Any], Shaper]

PARAMETER: Final = "output"
FORMS: Final = ("summary", "full")
_ABOUT: Final = (
    "summary: the best or a sample, a picture in text, and how much was left out; full: everything."
)
_HOW: Final = (
    "Annotate its return as Grid[...] or Series[...], or say how to make one of what it gives: "
    '@shaped(shape=partial(Grid, rank_by="cost")).'
)


@overload
def shaped(function: AnyFunction, /) -> AnyFunction: ...
@overload
def shaped(*, shape: Shape | None = None) -> Callable[[AnyFunction], AnyFunction]: ...
def shaped(function: Any = None, /, *, shape: Shape | None = None) -> Any:
    """Answer with a summary of a grid or series, and with all of it on demand."""
    if function is None:
        return lambda decorated: _decorate(decorated, shape)
    return _decorate(function, shape)


def _decorate(function: Callable[..., Any], shape: Shape | None) -> Callable[..., Any]:
    parameters = signatures.parameters_of(function)
    if any(parameter.name == PARAMETER for parameter in parameters):
        raise InvalidSetting(
            "@shaped",
            name_of(function),
            f"it has a parameter {PARAMETER} of its own.",
            next_step="Rename that parameter.",
        )
    schema = _schema(function, shape)
    own = tuple(item.name for item in parameters if signatures.is_asked_for(item))
    mark = new_mark(own=own, has_link=True)
    make = _asynchronous if is_asynchronous(function) else _synchronous
    wrapper = make(function, shape, mark)
    told = {"enum": list(FORMS), "default": FORMS[0], "description": _ABOUT, KEYWORD: mark.key}
    ours = signatures.added(PARAMETER, {"type": "string", **told}, FORMS[0])
    signatures.show(wrapper, [*parameters, ours], _output_type(name_of(function), schema))
    return wrapper


# -- what is promised --------------------------------------------------------------------------


def _schema(function: Callable[..., Any], shape: Shape | None) -> dict[str, Any]:
    """The union of both forms, as far as the annotation says what they hold."""
    promised = signatures.return_type(function)
    made = promised if shape is None else getattr(shape, "func", shape)
    kind = get_origin(made) or made
    cells = get_args(made) if shape is None else ()
    cell = cell_schema(cells[0]) if cells else {}
    if kind is Grid:
        return output_schema("grid", cell)
    if kind is Series:
        return output_schema("series", cell, name=None)
    if shape is None:
        raise InvalidSetting(
            "@shaped", name_of(function), "it does not return a grid or a series.", next_step=_HOW
        )
    told = {PARAMETER: {"enum": list(FORMS)}}
    return {"type": "object", "properties": told, "required": [PARAMETER]}


def _output_type(name: str, schema: Mapping[str, Any]) -> Any:
    """A return type that frameworks make this output schema of."""
    try:
        import typing_extensions  # noqa: PLC0415 (pydantic brings it, and reads no other TypedDict)
        from pydantic import ConfigDict  # noqa: PLC0415 (an optional library)
    except ImportError:
        return dict[str, Any]
    make_type: Any = vars(typing_extensions)[
        "TypedDict"
    ]  # by a name that is known at run time only

    def put(made: dict[str, Any]) -> None:
        made.clear()
        made.update(_inlined(schema, schema.get("$defs", {})))

    promised = make_type(f"{name}_output", {})
    promised.__pydantic_config__ = ConfigDict(extra="allow", json_schema_extra=put)
    return promised


def _inlined(node: Any, definitions: Mapping[str, Any], within: tuple[str, ...] = ()) -> Any:
    """Without references, which pydantic takes for its own; one into itself admits anything."""
    if isinstance(node, list):
        return [_inlined(item, definitions, within) for item in node]
    if not isinstance(node, dict):
        return node
    name = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if name in within:
        return {}
    if name in definitions:
        return _inlined(definitions[name], definitions, (*within, name))
    return {
        key: _inlined(value, definitions, within) for key, value in node.items() if key != "$defs"
    }


# -- what is given -----------------------------------------------------------------------------


def _synchronous(
    function: Callable[..., Any], shape: Shape | None, mark: Mark
) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with Leaving(mark, {}) as leaving:
            form = _form(kwargs)
            with running():
                value = collected(function(*args, **kwargs))
            return leaving.with_value(_given(value, shape, function, form))
        return leaving.placeholder

    return wrapper


def _asynchronous(
    function: Callable[..., Any], shape: Shape | None, mark: Mark
) -> Callable[..., Any]:
    @wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        with Leaving(mark, {}) as leaving:
            form = _form(kwargs)
            with running():
                value = await collected_async(function(*args, **kwargs))
            return leaving.with_value(_given(value, shape, function, form))
        return leaving.placeholder

    return wrapper


def _form(kwargs: dict[str, Any]) -> str:
    """Which form is asked for; the function knows nothing of it."""
    form = kwargs.pop(PARAMETER, None)
    form = FORMS[0] if form is None or form == "" else form
    if form not in FORMS:
        raise InvalidOutput(f"output {form!r} is neither summary nor full.")
    return str(form)


def _given(value: Any, shape: Shape | None, function: Callable[..., Any], form: str) -> Any:
    made = value if shape is None else shape(value)
    if not isinstance(made, Shaper):
        what = f"it gave {type(made).__name__}."
        raise InvalidSetting("@shaped", name_of(function), what, next_step=_HOW)
    return made.full() if form == "full" else made.summary()
