"""What a framework reads of a decorated function: its parameters, with some added.

Frameworks make the input schema of a tool from the signature of its function, by pydantic. Editors
and type checkers never see what is made here: to them the decorated function is the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

Function = Callable[..., Any]
_FRAMEWORKS: Final = ("mcp", "fastmcp")
_NAMELESS: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


def name_of(function: Function) -> str:
    """An object that can be called may have no name of its own."""
    name: str = getattr(function, "__name__", type(function).__name__)
    return name


def parameters_of(function: Function) -> list[inspect.Parameter]:
    """With annotations that are types, wherever they can be found."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError):
        hints = {}  # the framework says what it cannot find
    return [
        parameter.replace(annotation=hints.get(parameter.name, parameter.annotation))
        for parameter in inspect.signature(function).parameters.values()
    ]


def return_type(function: Function) -> Any:
    try:
        return get_type_hints(function, include_extras=True).get("return", MISSING)
    except (NameError, TypeError, AttributeError):
        return function.__annotations__.get("return", MISSING)


def is_asked_for(parameter: inspect.Parameter) -> bool:
    """Whether a client gives it; a context is the framework's to give."""
    is_receiver = parameter.name in ("self", "cls")  # of a method, to which it is bound later
    is_given = parameter.kind in _NAMELESS or is_receiver or _is_injected(parameter.annotation)
    return not is_given


def _is_injected(annotation: Any) -> bool:
    parts = [annotation, get_origin(annotation), *get_args(annotation)]
    classes = [part for part in parts if isinstance(part, type)]
    named = {(kind.__module__.partition(".")[0], kind.__name__) for kind in classes}
    return any(package in _FRAMEWORKS and name == "Context" for package, name in named)


def is_required(parameter: inspect.Parameter) -> bool:
    if not is_asked_for(parameter) or parameter.default is not inspect.Parameter.empty:
        return False
    # pydantic may be told of a default beside the type.
    about = get_args(parameter.annotation)[1:] if _is_annotated(parameter.annotation) else ()
    return all(getattr(item, "is_required", lambda: True)() for item in about)


def _is_annotated(annotation: Any) -> bool:
    return get_origin(annotation) is Annotated


def optional(parameter: inspect.Parameter) -> inspect.Parameter:
    """The same parameter, which may be left out: the second call has none of a tool's own."""
    if not is_required(parameter):
        return parameter
    known = parameter.annotation is not inspect.Parameter.empty
    return _with_default(parameter, parameter.annotation if known else Any, lambda: MISSING)


def added(name: str, schema: Mapping[str, Any], default: Any = None) -> inspect.Parameter:
    """A parameter of ours. What is given for it is for us to check: frameworks say less clearly what
    is wrong."""
    kind = inspect.Parameter.KEYWORD_ONLY
    try:
        from pydantic import WithJsonSchema  # noqa: PLC0415 (an optional library)
    except ImportError:
        return inspect.Parameter(name, kind, default=default, annotation=Any)
    annotation = Annotated[Any, WithJsonSchema(dict(schema))]
    return _with_default(inspect.Parameter(name, kind), annotation, lambda: default)


def _with_default(
    parameter: inspect.Parameter, annotation: Any, default: Callable[[], Any]
) -> inspect.Parameter:
    """With a default that does not show in the schema."""
    try:
        from pydantic import Field  # noqa: PLC0415 (an optional library)
    except ImportError:
        return parameter.replace(default=default(), annotation=annotation)
    return parameter.replace(annotation=Annotated[annotation, Field(default_factory=default)])


def show(
    wrapper: Function, parameters: Iterable[inspect.Parameter], returns: Any = MISSING
) -> None:
    """Make a function look, to frameworks, as if it had these parameters and this return type."""
    listed = sorted(parameters, key=lambda parameter: parameter.kind)
    shown = inspect.Signature.empty if returns is MISSING else returns
    wrapper.__signature__ = inspect.Signature(listed, return_annotation=shown)  # type: ignore[attr-defined]  # as `inspect` reads it
    named = {parameter.name: parameter.annotation for parameter in listed}
    annotations = {
        name: kind for name, kind in named.items() if kind is not inspect.Parameter.empty
    }
    wrapper.__annotations__ = (
        annotations if returns is MISSING else {**annotations, "return": returns}
    )


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those that were given."""
    return {name: value for name, value in arguments.items() if value is not MISSING}
