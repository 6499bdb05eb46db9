from rest_framework import serializers

from gateway_site.inventory.models import Device, Location, Reading


class LocationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Location
        fields = ("id", "name")


class DeviceSerializer(serializers.ModelSerializer):
    class Meta:
        model = Device
        fields = (
            "id", "name", "kind", "location", "price", "seen", "key", "manual", "notes", "owner",
        )  # fmt: skip
        read_only_fields = ("owner",)


class ReadingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reading
        fields = ("id", "device", "taken", "value")


class BrokenSerializer(serializers.ModelSerializer):
    """A serializer that fails on every object."""

    class Meta:
        model = Location
        fields = ("id", "name")

    def to_representation(self, instance):
        raise RuntimeError("a secret of the site")
