"""Guards of a site's own, whose names say nothing of refusals."""

from functools import wraps

from django.core.exceptions import PermissionDenied


def ensure_member(user):
    """Let only users in who have a last name."""
    if not user.last_name:
        raise PermissionDenied


def for_members(call):
    """Guard a function of a request."""

    @wraps(call)
    def guarded(request, *args, **kwargs):
        ensure_member(request.user)
        return call(request, *args, **kwargs)

    return guarded
