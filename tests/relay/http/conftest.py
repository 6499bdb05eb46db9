from __future__ import annotations

import pytest
from http_rig import PLAIN, Raw, serving, started


@pytest.fixture(scope="session")
def in_front_of_command():
    with serving("--", *PLAIN) as url:
        yield url


@pytest.fixture(scope="session")
def in_front_of_url():
    with started([*PLAIN, "--http"]) as upstream, serving("--url", upstream) as url:
        yield url


@pytest.fixture(params=["in_front_of_command", "in_front_of_url"])
def relay_url(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def raw(relay_url):
    with Raw(relay_url) as client:
        yield client
