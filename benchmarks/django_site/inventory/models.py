from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from django.db import models


class Device(models.Model):
    """Ten fields of the kinds that inventories have."""

    STATUSES: ClassVar = ("active", "planned", "staged", "failed", "retired")

    name: models.CharField[str, str] = models.CharField(max_length=60)
    serial: models.CharField[str, str] = models.CharField(max_length=20, unique=True)
    site: models.CharField[str, str] = models.CharField(
        max_length=20, db_index=True, help_text="Where it stands."
    )
    role: models.CharField[str, str] = models.CharField(max_length=20)
    status: models.CharField[str, str] = models.CharField(
        max_length=10, choices=[(name, name) for name in STATUSES]
    )
    address: models.GenericIPAddressField[str, str] = models.GenericIPAddressField()
    cost: models.DecimalField[Decimal, Decimal] = models.DecimalField(
        max_digits=9, decimal_places=2
    )
    installed_at: models.DateTimeField[datetime, datetime] = models.DateTimeField()
    managed: models.BooleanField[bool, bool] = models.BooleanField(default=True)
    height: models.PositiveSmallIntegerField[int, int] = models.PositiveSmallIntegerField(
        default=1, help_text="In units of a rack."
    )

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return self.name


class Report(models.Model):
    """A row that is larger than most budgets."""

    title: models.CharField[str, str] = models.CharField(max_length=60)
    body: models.TextField[str, str] = models.TextField()

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return self.title
