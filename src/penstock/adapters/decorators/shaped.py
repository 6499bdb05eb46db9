"""`@shaped`: a tool whose result is a grid or a series, for which a summary is usually enough.

The tool gains a parameter `output`, which selects one of two forms. A field `output` in the result
names the form. The function runs in the same way for both. Under the middleware of an adapter, a
full form over the budget is treated as any large result.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    ParamSpec,
    Union,
    get_args,
    get_origin,
    overload,
)

from penstock.adapters.decorators import signatures
from penstock.adapters.decorators.function_runs import decorated, mark_once
from penstock.adapters.decorators.signatures import name_of
from penstock.errors import InvalidOutput, InvalidSetting
from penstock.shaping import Grid, Series, Shaper, cell_schema, output_schema
from penstock.wire.marks import KEYWORD, current, new_mark

P = ParamSpec("P")
Form = dict[str, Any]
# Makes a grid or a series from a function's result.
Shape = Callable[[Any], Shaper]

PARAMETER: Final = "output"
FORMS: Final = ("summary", "full")
_ABOUT: Final = (
    "summary: the best or a sample, a picture in text, and how much was left out; full: everything."
)
_HOW: Final = (
    "Annotate its return as Grid[...] or Series[...], or pass a function that converts its result: "
    '@shaped(shape=partial(Grid, rank_by="cost")).'
)


@overload
def shaped(
    function: Callable[P, Coroutine[Any, Any, Any]], /
) -> Callable[P, Coroutine[Any, Any, Form]]: ...
@overload
def shaped(function: Callable[P, Any], /) -> Callable[P, Form]: ...
@overload
def shaped(*, shape: Shape | None = None) -> Callable[[Callable[P, Any]], Callable[P, Any]]: ...
def shaped(function: Any = None, /, *, shape: Shape | None = None) -> Any:
    """Answer with a summary of a grid or series, or with all of it on demand.

    Put this below the framework's own decorator, on a function that returns a `Grid` or a `Series`.
    For any other function, `shape` converts the result to one of these.
    """
    if function is None:
        return lambda later: _decorate(later, shape)
    return _decorate(function, shape)


def _decorate(function: Callable[..., Any], shape: Shape | None) -> Callable[..., Any]:
    parameters = signatures.parameters_of(function)
    if any(parameter.name == PARAMETER for parameter in parameters):
        raise _unfit(function, f"it already has a parameter {PARAMETER}.", "Rename that parameter.")
    mark = new_mark(added=(PARAMETER,), has_link=True)

    def prepare(kwargs: dict[str, Any], is_tool: bool) -> tuple[dict[str, Any], str | None]:
        """Take out `output`, which the function does not know. The form is None for code that calls
        the function while a request is served: such code needs the function's own result."""
        form = _form(kwargs.pop(PARAMETER, None))
        return kwargs, form if is_tool or current() is None else None

    def conclude(value: Any, form: str | None) -> Any:
        return value if form is None else _given(value, shape, function, form)

    wrapper = decorated(function, mark, prepare, conclude)
    mark_once(wrapper, function, mark, "@shaped")
    told = {"enum": list(FORMS), "default": FORMS[0], "description": _ABOUT, KEYWORD: mark.key}
    ours = signatures.added(PARAMETER, {"type": "string", **told}, FORMS[0])
    promised = _output_type(name_of(function), _schema(function, shape))
    signatures.show(wrapper, [*parameters, ours], promised)
    return wrapper


def _unfit(function: Callable[..., Any], why: str, next_step: str = _HOW) -> InvalidSetting:
    return InvalidSetting("@shaped", name_of(function), why, next_step=next_step)


# -- the result --------------------------------------------------------------------------------


def _form(asked: Any) -> str:
    form = FORMS[0] if asked is None or asked == "" else asked
    if form not in FORMS:
        raise InvalidOutput(f"output {form!r} is neither summary nor full.")
    return str(form)


def _given(value: Any, shape: Shape | None, function: Callable[..., Any], form: str) -> Form:
    made = value if shape is None else shape(value)
    if not isinstance(made, Shaper):
        step = "Return a Grid or a Series, or pass a function that makes one: @shaped(shape=...)."
        raise _unfit(function, f"it returned {type(made).__name__}.", step)
    return made.full() if form == "full" else made.summary()


# -- the output schema ------------------------------------------------------------------------


def _schema(function: Callable[..., Any], shape: Shape | None) -> dict[str, Any]:
    """Return the schema of both forms, as precise as the function's annotation."""
    made = _promised(function) if shape is None else getattr(shape, "func", shape)
    kind = get_origin(made) or made
    cells = get_args(made) if shape is None else ()
    cell = cell_schema(cells[0]) if cells else {}
    if isinstance(kind, type) and issubclass(kind, Grid):
        return output_schema("grid", cell)
    if isinstance(kind, type) and issubclass(kind, Series):
        return output_schema("series", cell, name=None)
    if shape is None:
        raise _unfit(function, "it does not return a grid or a series.")
    told = {PARAMETER: {"enum": list(FORMS)}}
    return {"type": "object", "properties": told, "required": [PARAMETER]}


def _promised(function: Callable[..., Any]) -> Any:
    """Return the function's return type, without `Annotated` and without `None`."""
    hints = signatures.hints_of(function)
    if hints is None:
        step = "Define the names of its annotations in the module, before the function."
        raise _unfit(function, "a name in its annotations cannot be found.", step)
    made = hints.get("return")
    if get_origin(made) is Annotated:
        made = get_args(made)[0]
    if get_origin(made) in (Union, UnionType):
        made = next((part for part in get_args(made) if part is not type(None)), made)
    return made


def _output_type(name: str, schema: Mapping[str, Any]) -> Any:
    """Return a type from which frameworks make this output schema."""
    try:
        import typing_extensions
        from pydantic import ConfigDict
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
    """Replace references by their definitions, because pydantic would take references for its own.
    A recursive reference becomes a schema that admits anything."""
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
