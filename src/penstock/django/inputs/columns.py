"""JSON Schemas of a model's columns, for keys of objects and for filters."""

from __future__ import annotations

from typing import Any, Final

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models.constants import LOOKUP_SEP

from penstock.django.inputs.nearest import nearest
from penstock.django.inputs.schemas import Schema

# The nearest class in a column's ancestry counts. Other classes have no type.
_SCHEMAS: Final[dict[type, Schema]] = {
    models.AutoField: {"type": "integer"},  # as are BigAutoField and SmallAutoField
    models.IntegerField: {"type": "integer"},
    models.FloatField: {"type": "number"},
    models.DecimalField: {"type": ["number", "string"]},
    models.BooleanField: {"type": "boolean"},
    models.CharField: {"type": "string"},
    models.TextField: {"type": "string"},
    models.EmailField: {"type": "string", "format": "email"},
    models.URLField: {"type": "string", "format": "uri"},
    models.UUIDField: {"type": "string", "format": "uuid"},
    models.DateField: {"type": "string", "format": "date"},
    models.DateTimeField: {"type": "string", "format": "date-time"},
    models.TimeField: {"type": "string", "format": "time"},
    models.DurationField: {"type": "string", "format": "duration"},
    models.GenericIPAddressField: {"type": "string"},
    models.BinaryField: {"type": "string"},
    models.FileField: {"type": "string"},
    models.FilePathField: {"type": "string"},
}


def schema_of_column(column: Any) -> Schema:
    """Return the schema of a column or a relation's target. An unknown kind takes anything."""
    seen: set[int] = set()
    while getattr(column, "is_relation", False) and id(column) not in seen:
        seen.add(id(column))
        column = _target(column)
    return dict(nearest(_SCHEMAS, type(column)) or {})


def column_at(model: type[models.Model], path: str) -> Any:
    """Return the column that a lookup such as `site__name` leads to, or None."""
    found: Any = None
    for name in path.split(LOOKUP_SEP):
        meta = model._meta  # noqa: SLF001 (public, under Django's promise)
        try:
            found = meta.pk if name == "pk" else meta.get_field(name)
        except FieldDoesNotExist:
            return None
        model = getattr(found, "related_model", None) or model
    return found


def _target(relation: Any) -> Any:
    """Return the column at the other end, which need not be the primary key."""
    if isinstance(relation, models.ForeignKey):
        return relation.target_field
    other = getattr(relation, "related_model", None)
    return other._meta.pk if other is not None else None  # noqa: SLF001 (see above)
