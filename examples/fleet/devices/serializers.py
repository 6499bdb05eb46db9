from rest_framework import serializers

from devices.models import Device, Event, Site


class DeviceSerializer(serializers.ModelSerializer):
    site = serializers.SlugRelatedField(
        slug_field="code", queryset=Site.objects.all(), help_text="The site's code."
    )

    class Meta:
        model = Device
        fields = (
            "id", "asset_tag", "name", "serial", "kind", "status", "site", "ip_address", "firmware",
            "purchased", "last_seen", "power_watts", "uuid", "notes",
        )  # fmt: skip


class RetirementSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=200, help_text="Why it leaves service.")


class DeviceCountsSerializer(serializers.Serializer):
    """The number of devices in each status, as the view's query counts them."""

    active = serializers.IntegerField()
    degraded = serializers.IntegerField()
    down = serializers.IntegerField()
    retired = serializers.IntegerField()
    recalled = serializers.IntegerField()


class SiteSerializer(serializers.ModelSerializer):
    devices = DeviceCountsSerializer(source="*", read_only=True)

    class Meta:
        model = Site
        fields = ("id", "code", "name", "city", "country", "opened", "devices")


class EventSerializer(serializers.ModelSerializer):
    device = serializers.SlugRelatedField(
        slug_field="asset_tag", queryset=Device.objects.all(), help_text="The device's asset tag."
    )

    class Meta:
        model = Event
        fields = ("id", "device", "kind", "happened", "technician", "notes")
