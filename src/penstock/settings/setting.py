"""One setting: its parser, its default and its meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Literal

from penstock.settings.parsers import Value, Written, parsed


class Setting(Generic[Written, Value]):
    """A field of a dataclass that parses the value it is given.

    Type checkers take the type of the argument from `__set__`, and the type of the attribute from
    `__get__`. At run time there is no `__get__`: Python finds the value in the object, as fast as
    any other, and the dataclass takes the setting itself as the default of its field.
    """

    def __init__(
        self,
        parse: Callable[[Written], Value],
        default: Written,
        meaning: str,
        *,
        name: str = "",  # the name that users write, if the field has another
        unset: str = "none",  # the meaning of an empty default
        in_run: Written | None = None,  # the default of `penstock run`, if it has another
        for_one: Literal["tool", "client"] | None = None,  # whose sections may hold this setting
    ) -> None:
        self.parse = parse
        self.default = default
        self.meaning = meaning
        self.name = self.field = name
        self.unset = unset
        self.in_run = in_run
        self.for_one = for_one

    def __set_name__(self, owner: type, field: str) -> None:
        self.field = field
        self.name = self.name or field

    def __set__(self, settings: object, value: Written) -> None:
        is_given = value is not self
        written = value if is_given else self.default
        settings.__dict__[self.field] = parsed(self.name, written, self.parse)

    def __repr__(self) -> str:
        """Return the default, which `help` shows in the signature."""
        return repr(self.default)

    if TYPE_CHECKING:

        def __get__(self, settings: object, owner: type) -> Value: ...
