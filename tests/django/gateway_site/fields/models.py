import uuid

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models


class Place(models.Model):
    slug = models.SlugField(unique=True, help_text="The short name in URLs.")
    name = models.CharField(max_length=50)

    def __str__(self):
        return self.name


class Keeper(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    name = models.CharField(max_length=50)

    def __str__(self):
        return self.name


class Label(models.Model):
    name = models.CharField(max_length=20, unique=True)

    def __str__(self):
        return self.name


class Pump(models.Model):
    """A column of each kind that sites have."""

    class Status(models.IntegerChoices):
        PLANNED = 1, "Planned"
        RUNNING = 2, "In service"

    class Drive(models.TextChoices):
        ELECTRIC = "electric"
        DIESEL = "diesel"

    name = models.CharField(max_length=80, help_text="As it stands on the <b>label</b>.")
    serial = models.CharField(max_length=12, validators=[RegexValidator(r"^[A-Z]{2}\d+\Z")])
    status = models.IntegerField(choices=Status.choices, default=Status.PLANNED)
    drive = models.CharField(max_length=10, choices=Drive.choices, blank=True)
    place = models.ForeignKey(Place, models.CASCADE)
    keeper = models.ForeignKey(Keeper, models.SET_NULL, null=True, blank=True)
    labels = models.ManyToManyField(Label, blank=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, verbose_name="net price in euros")
    flow = models.FloatField(null=True, blank=True)
    stages = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(9)]
    )
    turns = models.BigIntegerField(default=0)
    built = models.DateField(null=True, blank=True)
    checked = models.DateTimeField(null=True, blank=True)
    starts = models.TimeField(null=True, blank=True)
    runtime = models.DurationField(null=True, blank=True)
    address = models.GenericIPAddressField(protocol="IPv4", null=True, blank=True)
    manual = models.URLField(blank=True)
    contact = models.EmailField(blank=True)
    settings = models.JSONField(default=dict, blank=True)
    is_spare = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self):
        return self.name
