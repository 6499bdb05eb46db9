from rest_framework import serializers

from gateway_site.fields.models import Keeper, Label, Place, Pump


class PlaceSerializer(serializers.ModelSerializer):
    class Meta:
        model = Place
        fields = ("id", "slug", "name")


class PumpSerializer(serializers.ModelSerializer):
    class Meta:
        model = Pump
        exclude = ()


class ShortPumpSerializer(serializers.ModelSerializer):
    class Meta:
        model = Pump
        fields = ("id", "name", "serial", "status", "place", "price")


class MoveSerializer(serializers.Serializer):
    place = serializers.SlugRelatedField(slug_field="slug", queryset=Place.objects.all())
    reason = serializers.CharField(required=False, allow_blank=True, max_length=40)


class PartSerializer(serializers.Serializer):
    name = serializers.CharField()
    number = serializers.IntegerField(min_value=1)
    weight = serializers.FloatField(required=False)


class OrderSerializer(serializers.Serializer):
    """Serializers inside a serializer."""

    keeper = serializers.PrimaryKeyRelatedField(queryset=Keeper.objects.all())
    labels = serializers.PrimaryKeyRelatedField(
        queryset=Label.objects.all(), many=True, allow_empty=False
    )
    parts = PartSerializer(many=True, allow_empty=False)
    spare = PartSerializer(required=False, allow_null=True)
    total = serializers.DecimalField(max_digits=8, decimal_places=2, read_only=True)
    secret = serializers.CharField(write_only=True, min_length=4)

    def create(self, validated_data):
        return validated_data


class TreeSerializer(serializers.Serializer):
    """A serializer that holds itself, without end."""

    name = serializers.CharField()

    def get_fields(self):
        return {**super().get_fields(), "children": TreeSerializer(many=True, required=False)}

    def create(self, validated_data):
        return validated_data


class PictureSerializer(serializers.Serializer):
    title = serializers.CharField()
    picture = serializers.ImageField()
    scans = serializers.ListField(child=serializers.FileField(), required=False)


class AlbumSerializer(serializers.Serializer):
    name = serializers.CharField()
    pictures = PictureSerializer(many=True, required=False)


class RaisingSerializer(serializers.Serializer):
    name = serializers.CharField()

    def get_fields(self):
        raise RuntimeError("no fields today")


class FreeSerializer(serializers.ModelSerializer):
    """A serializer with parsing of its own: it also takes an object's number."""

    class Meta:
        model = Place
        fields = ("slug", "name")

    def to_internal_value(self, data):
        return {"id": data} if isinstance(data, int) else super().to_internal_value(data)
