"""What the tests of the relay share: a session without processes, in both eras."""

import sys
from pathlib import Path

import pytest

# The helpers beside the tests are imported by name, which importlib mode does not arrange.
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]


@pytest.fixture(params=["legacy", "modern"])
def era(request):
    return request.param


@pytest.fixture
def open_rig():
    """Makes rigs: an upstream, and settings of the policy by name."""
    from relay_rig import Rig  # noqa: PLC0415 (the path is set above)

    rigs = []

    def opened(upstream=None, **settings):
        rigs.append(Rig(upstream, **settings))
        return rigs[-1]

    yield opened
    for rig in rigs:
        rig.close()


@pytest.fixture
def start():
    """Starts `penstock run` in front of a command; ends what a test left running."""
    from relay_processes import StdioClient  # noqa: PLC0415 (as above)

    clients = []

    def started(command, *options, greet=True, **keywords):
        client = StdioClient(command, *options, **keywords)
        clients.append(client)
        if greet:
            client.greet()
        return client

    yield started
    for client in clients:
        client.discard()


@pytest.fixture(params=["stdio"])
def connect(request, start):
    """Connects an agent to a server, behind the relay in every way there is."""

    def connected(command, **settings):
        options = [word for name, value in settings.items() for word in (f"--{name}", value)]
        return start(command, *options)

    return {"stdio": connected}[request.param]
