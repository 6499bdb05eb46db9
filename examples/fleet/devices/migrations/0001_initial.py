# ruff: noqa: RUF012 (as Django writes them)

import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Device",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asset_tag", models.CharField(max_length=12, unique=True)),
                ("name", models.CharField(max_length=60)),
                ("serial", models.CharField(max_length=20)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("sensor", "Sensor"),
                            ("meter", "Meter"),
                            ("camera", "Camera"),
                            ("gateway", "Gateway"),
                            ("switch", "Switch"),
                            ("valve", "Valve"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("active", "Active"),
                            ("degraded", "Degraded"),
                            ("down", "Down"),
                            ("retired", "Retired"),
                            ("recalled", "Recalled"),
                        ],
                        db_index=True,
                        default="active",
                        max_length=10,
                    ),
                ),
                ("ip_address", models.GenericIPAddressField(blank=True, null=True)),
                ("firmware", models.CharField(max_length=20)),
                ("purchased", models.DateField()),
                ("last_seen", models.DateTimeField(blank=True, null=True)),
                ("power_watts", models.DecimalField(decimal_places=2, max_digits=7)),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("notes", models.TextField(blank=True)),
            ],
            options={
                "ordering": ("asset_tag",),
            },
        ),
        migrations.CreateModel(
            name="Site",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(help_text="Such as LYS-2.", max_length=10, unique=True)),
                ("name", models.CharField(max_length=60)),
                ("city", models.CharField(max_length=40)),
                (
                    "country",
                    models.CharField(help_text="Two letters, as in ISO 3166.", max_length=2),
                ),
                ("opened", models.DateField()),
            ],
            options={
                "ordering": ("code",),
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("installed", "Installed"),
                            ("inspected", "Inspected"),
                            ("repaired", "Repaired"),
                            ("fault", "Fault"),
                            ("retired", "Retired"),
                        ],
                        max_length=10,
                    ),
                ),
                ("happened", models.DateTimeField(db_index=True)),
                ("technician", models.CharField(blank=True, max_length=40)),
                ("notes", models.TextField(blank=True)),
                (
                    "device",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="devices.device",
                    ),
                ),
            ],
            options={
                "ordering": ("-happened", "-id"),
            },
        ),
        migrations.AddField(
            model_name="device",
            name="site",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="devices",
                to="devices.site",
            ),
        ),
    ]
