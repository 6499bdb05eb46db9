"""A fixture for each site, which is installed and filled when it is first used."""

from contextlib import ExitStack
from dataclasses import replace

import pytest
from real_sites import ALL, services_of


@pytest.fixture(scope="session", params=ALL, ids=lambda site: site.name)
def site(request):
    with ExitStack() as stack:
        request.param.install()
        services = {}
        if request.param.needs_services:
            services = stack.enter_context(services_of(request.param))
        ready = replace(request.param, services=services)
        ready.fill()
        yield ready
