"""The signature of a decorated function: its own parameters, and those that Penstock adds.

Frameworks make a tool's input schema from this signature, with pydantic. Editors and type checkers
see the signature of the original function instead.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from penstock.wire.marks import KEYWORD, REQUIRED

Function = Callable[..., Any]
_FRAMEWORKS: Final = frozenset({"mcp", "fastmcp"})
_NAMELESS: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_NOTHING: Final = inspect.Parameter.empty


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


def name_of(function: Function) -> str:
    """Return the function's name, or its type's: a callable object may have no name."""
    plain = getattr(function, "func", function)  # of a partial
    name: str = getattr(plain, "__name__", type(plain).__name__)
    return name


def hints_of(function: Function) -> dict[str, Any] | None:
    """Return the annotations as types, or None if a name in them cannot be found."""
    try:
        return get_type_hints(function, include_extras=True)
    except NameError:
        return None
    except (TypeError, AttributeError):
        return {}


def parameters_of(function: Function) -> list[inspect.Parameter]:
    """Return the parameters, with types as annotations if their names can be found. Otherwise the
    framework reports the missing name."""
    hints = hints_of(function) or {}
    return [
        parameter.replace(annotation=hints.get(parameter.name, parameter.annotation))
        for parameter in inspect.signature(function).parameters.values()
    ]


# -- parameters for clients --------------------------------------------------------------------


def asked_for(
    function: Function, parameters: Iterable[inspect.Parameter]
) -> list[inspect.Parameter]:
    """Return the parameters for clients: not `self`, and not those that the framework fills in."""
    named = [parameter for parameter in parameters if parameter.kind not in _NAMELESS]
    rest = named[1:] if named and _is_receiver(named[0], function) else named
    return [parameter for parameter in rest if not _is_injected(parameter.annotation)]


def _is_receiver(parameter: inspect.Parameter, function: Function) -> bool:
    """Return whether this is `self` or `cls` of a method that is decorated before it is bound."""
    within = getattr(function, "__qualname__", "").rpartition(".")[0]
    is_method = bool(within) and not within.endswith("<locals>")
    return is_method and parameter.name in ("self", "cls") and parameter.annotation is _NOTHING


def _is_injected(annotation: Any) -> bool:
    """Return whether the framework fills in the parameter: a context, or a dependency."""
    parts = [annotation, get_origin(annotation), *get_args(annotation)]
    bases = [base for part in parts if isinstance(part, type) for base in part.__mro__]
    marks = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    is_context = any(base.__name__ == "Context" and _is_frameworks(base) for base in bases)
    return is_context or any(_is_frameworks(type(mark)) for mark in marks)


def _is_frameworks(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in _FRAMEWORKS


def is_required(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter has no default. A pydantic field may hold the default beside the
    type, or stand in the place of the default and hold none."""
    if parameter.default is not _NOTHING:
        return _says_required(parameter.default) is True
    return not any(_says_required(item) is False for item in _about(parameter))


def _says_required(item: Any) -> bool | None:
    ask = getattr(item, "is_required", None)
    return bool(ask()) if callable(ask) else None


def _about(parameter: inspect.Parameter) -> tuple[Any, ...]:
    """Return the pydantic fields of a parameter, from its annotation and its default."""
    annotation = parameter.annotation
    beside = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return (*beside, parameter.default)


def advertised_name(parameter: inspect.Parameter) -> str:
    """Return the parameter's name for clients: its alias, if it has one."""
    aliases = [getattr(item, "alias", None) for item in _about(parameter)]
    return next((alias for alias in aliases if isinstance(alias, str)), parameter.name)


def default_of(parameter: inspect.Parameter) -> Any:
    given = parameter.default
    make = getattr(given, "get_default", None)
    return make(call_default_factory=True) if callable(make) else given


# -- signatures for frameworks -----------------------------------------------------------------


def optional(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return the parameter as an optional one: a call with a token has none of the tool's own."""
    if not is_required(parameter):
        return parameter
    annotation = Any if parameter.annotation is _NOTHING else parameter.annotation
    if parameter.default is not _NOTHING:  # a field of pydantic's, without a default
        annotation = Annotated[annotation, parameter.default]
    plain = parameter.replace(default=_NOTHING)
    return _with_default(plain, annotation, lambda: MISSING, {KEYWORD: REQUIRED})


def added(name: str, schema: Mapping[str, Any], default: Any = None) -> inspect.Parameter:
    """Return a parameter that Penstock adds. Its type admits anything: Penstock checks the value,
    because the errors of frameworks are less clear."""
    kind = inspect.Parameter.KEYWORD_ONLY
    try:
        from pydantic import WithJsonSchema
    except ImportError:
        return inspect.Parameter(name, kind, default=default, annotation=Any)
    annotation = Annotated[Any, WithJsonSchema(dict(schema))]
    return _with_default(inspect.Parameter(name, kind), annotation, lambda: default)


def _with_default(
    parameter: inspect.Parameter,
    annotation: Any,
    default: Callable[[], Any],
    told: dict[str, Any] | None = None,
) -> inspect.Parameter:
    """Return the parameter with a default that its schema does not show, and with `told` in the
    schema."""
    try:
        from pydantic import Field
    except ImportError:
        return parameter.replace(default=default(), annotation=annotation)
    field = Field(default_factory=default, json_schema_extra=told)
    return parameter.replace(annotation=Annotated[annotation, field])


def show(
    wrapper: Function, parameters: Iterable[inspect.Parameter], returns: Any = MISSING
) -> None:
    """Make a function look, to frameworks, as if it had these parameters and this return type."""
    listed = sorted(parameters, key=lambda parameter: parameter.kind)
    shown = inspect.Signature.empty if returns is MISSING else returns
    wrapper.__signature__ = inspect.Signature(listed, return_annotation=shown)  # type: ignore[attr-defined]  # `inspect` reads it
    named = {parameter.name: parameter.annotation for parameter in listed}
    annotations = {name: kind for name, kind in named.items() if kind is not _NOTHING}
    wrapper.__annotations__ = (
        annotations if returns is MISSING else {**annotations, "return": returns}
    )


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that the caller gave."""
    return {name: value for name, value in arguments.items() if value is not MISSING}
