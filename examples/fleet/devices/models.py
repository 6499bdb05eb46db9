import uuid

from django.db import models


class Site(models.Model):
    code = models.CharField(max_length=10, unique=True, help_text="Such as LYS-2.")
    name = models.CharField(max_length=60)
    city = models.CharField(max_length=40)
    country = models.CharField(max_length=2, help_text="Two letters, as in ISO 3166.")
    opened = models.DateField()

    class Meta:
        ordering = ("code",)

    def __str__(self) -> str:
        return self.code


class Device(models.Model):
    class Kind(models.TextChoices):
        SENSOR = "sensor"
        METER = "meter"
        CAMERA = "camera"
        GATEWAY = "gateway"
        SWITCH = "switch"
        VALVE = "valve"

    class Status(models.TextChoices):
        ACTIVE = "active"
        DEGRADED = "degraded"
        DOWN = "down"
        RETIRED = "retired"
        RECALLED = "recalled"

    asset_tag = models.CharField(max_length=12, unique=True)
    name = models.CharField(max_length=60)
    serial = models.CharField(max_length=20)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.ACTIVE, db_index=True
    )
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="devices")
    ip_address = models.GenericIPAddressField(null=True, blank=True)
    firmware = models.CharField(max_length=20)
    purchased = models.DateField()
    last_seen = models.DateTimeField(null=True, blank=True)
    power_watts = models.DecimalField(max_digits=7, decimal_places=2)
    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    notes = models.TextField(blank=True)

    class Meta:
        ordering = ("asset_tag",)

    def __str__(self) -> str:
        return self.asset_tag


class Event(models.Model):
    """Something that was done to a device, or happened to it."""

    class Kind(models.TextChoices):
        INSTALLED = "installed"
        INSPECTED = "inspected"
        REPAIRED = "repaired"
        FAULT = "fault"
        RETIRED = "retired"

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    happened = models.DateTimeField(db_index=True)
    technician = models.CharField(max_length=40, blank=True)
    notes = models.TextField(blank=True)

    class Meta:
        ordering = ("-happened", "-id")

    def __str__(self) -> str:
        return f"{self.device} {self.kind}"
