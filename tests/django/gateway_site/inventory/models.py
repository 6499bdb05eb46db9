import uuid

from django.conf import settings
from django.db import models


class Location(models.Model):
    name = models.CharField(max_length=50, unique=True)

    class Meta:
        ordering = ("name",)

    def __str__(self):
        return self.name


class Device(models.Model):
    """The main model of the API: some fields of each kind, and an owner."""

    class Kind(models.TextChoices):
        ROUTER = "router"
        SWITCH = "switch"
        PUMP = "pump"

    name = models.CharField(max_length=80, help_text="As it stands on the label.")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.ROUTER)
    location = models.ForeignKey(Location, models.CASCADE, related_name="devices")
    price = models.DecimalField(max_digits=12, decimal_places=2, default=0)
    seen = models.DateTimeField(null=True, blank=True)
    key = models.UUIDField(default=uuid.uuid4, editable=False)
    manual = models.FileField(upload_to="manuals", blank=True)
    notes = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)

    def __str__(self):
        return self.name


class Reading(models.Model):
    """A small record, of which there are many, without an order of their own."""

    device = models.ForeignKey(Device, models.CASCADE, related_name="readings")
    taken = models.DateTimeField()
    value = models.FloatField()

    def __str__(self):
        return f"{self.value}"
