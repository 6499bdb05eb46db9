"""Functions that return a request's tier, good ones and bad ones."""

from penstock.django.tiers import Tier


def nobody(request):
    return None


def reader(request):
    return "read"


def writer(request):
    return Tier.READ_WRITE if request.user.is_authenticated else None


def broken(request):
    raise RuntimeError("no tier")


def odd(request):
    return "everything"
